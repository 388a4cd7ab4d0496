import { fireEvent, screen } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { BatchPriceDialog, setAll } from './BatchPriceDialog.js';
import type { PriceTables } from './priceTables.js';

const tables: PriceTables = { price: { draw: 0.002 }, ratio: { chat: 1 }, completion: {} };
const prices = { tables, baseOf: () => ({ prices: { input: 1, cachedInput: 0.1, output: 3 } }) };

it('leaves prices per request as they are when it sets a completion ratio', () => {
  expect(setAll(tables, ['draw', 'chat'], 'multiples', null, 4)).toEqual({ ...tables, completion: { chat: 4 } });
});

it('replaces prices per request with ratios', () => {
  expect(setAll(tables, ['draw'], 'multiples', 2, 3)).toEqual({
    price: {},
    ratio: { chat: 1, draw: 2 },
    completion: { draw: 3 },
  });
});

it('names the prices per request that it keeps or replaces', async () => {
  const dialog = <BatchPriceDialog models={['draw', 'chat']} prices={prices} onSet={jest.fn()} onClose={jest.fn()} />;
  await renderScreen({ routes: [{ path: '/', element: dialog }] });
  expect(screen.getByText('The price per request of 1 model will be replaced.')).toBeInTheDocument();
  fireEvent.click(screen.getByRole('button', { name: 'Multiples' }));
  expect(screen.getByText('1 model has a price per request and stays as it is.')).toBeInTheDocument();
});

it('asks first for dollars per million tokens, and makes a price card of them', async () => {
  const onSet = jest.fn();
  const dialog = <BatchPriceDialog models={['house']} prices={prices} onSet={onSet} onClose={jest.fn()} />;
  await renderScreen({ routes: [{ path: '/', element: dialog }] });
  fireEvent.change(screen.getByLabelText('Input / 1M'), { target: { value: '0.5' } });
  expect(screen.getByRole('dialog', { name: 'Price of “house”' })).toBeInTheDocument();
  fireEvent.click(screen.getByRole('button', { name: 'Set price' }));
  expect(screen.getByText('Enter a fill value')).toBeInTheDocument();
  fireEvent.change(screen.getByLabelText('Output / 1M'), { target: { value: '2' } });
  // Enter in a field submits the form in the same way.
  fireEvent.submit(screen.getByLabelText('Output / 1M'));
  const card = { prices: { input: 0.5, cachedInput: 0.1, output: 2 } };
  expect(onSet).toHaveBeenCalledWith({ ...tables, cards: { house: card } });
});
