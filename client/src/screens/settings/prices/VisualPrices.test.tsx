import { fireEvent, screen } from '@testing-library/react';
import { rowOf } from '../../../testing/lists.js';
import { renderScreen } from '../../../testing/renderScreen.js';
import type { PriceTables } from './priceTables.js';
import { VisualPrices, type Prices } from './VisualPrices.js';

it('does not price a model again that was selected when it was removed', async () => {
  const tables: PriceTables = { price: {}, ratio: { chat: 1, draw: 2 }, completion: {} };
  const rows = Object.entries(tables.ratio).map(([model, ratio]) => ({
    ...{ model, ratio, price: null, completion: null, changed: false },
  }));
  const prices = { tables, rows, builtIn: new Map(), losses: new Map(), put: jest.fn() } as unknown as Prices;
  await renderScreen({ routes: [{ path: '/', element: <VisualPrices prices={prices} /> }] });
  for (const model of ['chat', 'draw']) fireEvent.click((await rowOf(model)).getByRole('checkbox'));
  await screen.findByText('2 selected');
  fireEvent.click(screen.getByRole('button', { name: /Remove.*chat/ }));
  await screen.findByText('1 selected');
});

it('asks for the output price where only the input price is typed, which alone is not taken', async () => {
  const tables: PriceTables = { price: { draw: 0.002 }, ratio: {}, completion: {} };
  const rows = [{ model: 'draw', ratio: null, price: 0.002, completion: null, changed: false }];
  const put = jest.fn();
  const prices = {
    ...{ tables, rows, put, builtIn: new Map(), losses: new Map(), listCards: new Map(), groupRatio: [] },
    baseOf: () => undefined,
  } as unknown as Prices;
  await renderScreen({ routes: [{ path: '/', element: <VisualPrices prices={prices} /> }] });
  fireEvent.click(await screen.findByText('draw'));
  fireEvent.click(await screen.findByRole('button', { name: 'Per token' }));
  put.mockClear();
  fireEvent.change(screen.getByLabelText('Input / 1M'), { target: { value: '3' } });
  expect(put).not.toHaveBeenCalled();
  expect(screen.getByText('Enter a value')).toBeInTheDocument();
  fireEvent.change(screen.getByLabelText('Output / 1M'), { target: { value: '9' } });
  expect(put).toHaveBeenCalledTimes(1);
  expect(screen.queryByText('Enter a value')).toBeNull();
});
