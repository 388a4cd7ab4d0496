import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { renderScreen } from '../../../testing/renderScreen.js';
import { CardDrawer } from './CardDrawer.js';

it('asks before it discards typed prices', async () => {
  const onClose = jest.fn();
  const element = <CardDrawer model="gpt-5" card={{ prices: { input: 2 } }} onSave={jest.fn()} onClose={onClose} />;
  await renderScreen({ routes: [{ path: '/', element }] });
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(onClose).toHaveBeenCalledTimes(1);
  const source = screen.getByRole('textbox', { name: /^Source/ });
  fireEvent.change(source, { target: { value: 'https://provider.example/prices' } });
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  const question = within(await screen.findByRole('alertdialog', { name: 'Discard changes?' }));
  expect(onClose).toHaveBeenCalledTimes(1);
  fireEvent.click(question.getByRole('button', { name: 'Discard' }));
  await waitFor(() => expect(onClose).toHaveBeenCalledTimes(2));
});

it('prices a second of a video by resolution, which no long prompt has', async () => {
  const onSave = jest.fn();
  const card = { prices: { second: 0.4 }, contextTiers: [{ above: 9, prices: {} }] };
  const element = <CardDrawer model="veo" card={card} onSave={onSave} onClose={jest.fn()} />;
  await renderScreen({ routes: [{ path: '/', element }] });
  const offered = async (name: string): Promise<Array<string | null>> => {
    fireEvent.mouseDown(screen.getByRole('combobox', { name }));
    const options = await screen.findAllByRole('option');
    return options.map(({ textContent }) => textContent);
  };
  expect(await offered('Add a condition to Tier 1')).not.toContain('4k');
  fireEvent.keyDown(screen.getByRole('listbox'), { key: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('listbox')).toBeNull());
  expect(await offered('Add a condition to Prices under conditions')).toEqual(
    expect.arrayContaining(['Flex', '480p', '720p', '1080p', '2k', '4k']),
  );
  fireEvent.click(screen.getByRole('option', { name: '4k' }));
  const tier = within(await screen.findByRole('group', { name: 'Prices under conditions: 4k' }));
  expect(tier.queryByRole('textbox', { name: 'Factor' })).toBeNull();
  expect(tier.queryByRole('combobox')).toBeNull();
  fireEvent.change(tier.getByRole('textbox', { name: 'Second' }), { target: { value: '0.6' } });
  fireEvent.click(screen.getByRole('button', { name: 'Use card' }));
  expect(onSave).toHaveBeenCalledWith({ ...card, variants: [{ when: { resolution: '4k' }, prices: { second: 0.6 } }] });
});
