import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { renderScreen } from '../../../../testing/renderScreen.js';
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
