import { fireEvent, screen } from '@testing-library/react';
import { renderScreen } from '../../../testing/renderScreen.js';
import { PriceSources } from './PriceSources.js';

afterEach(() => jest.restoreAllMocks());

it.each([
  [
    'the reason of the server',
    { success: false, message: 'prices.json is no list of prices' },
    'prices.json is no list of prices',
  ],
  ['that there is no server', null, 'Unable to connect to server'],
])('says why a file was not taken: %s', async (_, answer, text) => {
  globalThis.fetch = jest.fn(async () => {
    if (!answer) throw new TypeError('Failed to fetch');
    return { status: 200, text: async () => JSON.stringify(answer) };
  }) as unknown as typeof fetch;
  const onChecked = jest.fn();
  await renderScreen({ routes: [{ path: '/', element: <PriceSources check={null} onChecked={onChecked} /> }] });
  // The format is named by the file alone.
  fireEvent.click(screen.getByRole('button', { name: 'LiteLLM' }));
  const file = new File(['no prices'], 'prices.json');
  fireEvent.change(screen.getByLabelText('Choose file', { selector: 'input' }), { target: { files: [file] } });
  fireEvent.click(screen.getByRole('button', { name: 'Check' }));
  expect(await screen.findByText(text)).toBeInTheDocument();
  expect(onChecked).not.toHaveBeenCalled();
});
