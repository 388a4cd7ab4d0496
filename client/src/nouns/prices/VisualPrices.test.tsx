import { fireEvent, screen } from '@testing-library/react';
import { rowOf } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import type { PriceTables } from './priceTables.js';
import { VisualPrices } from './VisualPrices.js';
import type { Prices } from './usePrices.js';

it('does not price a model again that was selected when it was removed', async () => {
  const tables: PriceTables = { price: {}, ratio: { chat: 1, draw: 2 }, completion: {} };
  const rows = Object.entries(tables.ratio).map(([model, ratio]) => ({
    model,
    ratio,
    price: null,
    completion: null,
    changed: false,
  }));
  const prices = {
    tables,
    rows,
    builtIn: new Map(),
    losses: new Map(),
    isLoading: false,
    servedModels: [],
    savedRow: () => undefined,
    put: jest.fn(),
  } as unknown as Prices;
  await renderScreen({ routes: [{ path: '/', element: <VisualPrices prices={prices} /> }] });
  for (const model of ['chat', 'draw']) fireEvent.click((await rowOf(model)).getByRole('checkbox'));
  await screen.findByText('2 selected');
  fireEvent.click(screen.getByRole('button', { name: /Remove.*chat/ }));
  await screen.findByText('1 selected');
});

it('shows the models that a channel serves, and all others at a switch or where none of them matches', async () => {
  const tables: PriceTables = { price: {}, ratio: { ada: 1, chat: 1, 'gpt-4o-gizmo-*': 2, draft: 3 }, completion: {} };
  const rows = Object.keys(tables.ratio).map((model) => ({
    model,
    ratio: 1,
    price: null,
    completion: null,
    changed: model === 'draft',
  }));
  const servedModels = ['chat', 'gpt-4o-gizmo-1'];
  const loss = {
    channelId: 1,
    channelName: 'c',
    modelName: 'chat',
    groups: ['default'],
    quantity: 'input',
    above: 0,
    price: 2,
    cost: 3,
  };
  const losses = new Map([['chat', loss]]);
  const prices = {
    tables,
    rows,
    servedModels,
    losses,
    isLoading: false,
    builtIn: new Map(),
    savedRow: () => undefined,
    put: jest.fn(),
  } as unknown as Prices;
  await renderScreen({ routes: [{ path: '/', element: <VisualPrices prices={prices} /> }] });
  const names = () =>
    screen.getAllByRole('row').flatMap((one) => one.querySelector('[data-field=model]')?.textContent ?? []);
  (await rowOf('chat')).getByText('Below cost');
  expect(names()).toEqual(['Model', 'chat', 'gpt-4o-gizmo-*', 'draft']);
  fireEvent.change(screen.getByLabelText('Model name'), { target: { value: 'ada' } });
  await rowOf('ada');
  fireEvent.change(screen.getByLabelText('Model name'), { target: { value: '' } });
  fireEvent.click(screen.getByRole('switch', { name: 'All 4 models' }));
  await rowOf('ada');
  expect(names()).toHaveLength(5);
});

it('asks for the output price where only the input price is typed, which alone is not taken', async () => {
  const tables: PriceTables = { price: { draw: 0.002 }, ratio: {}, completion: {} };
  const rows = [{ model: 'draw', ratio: null, price: 0.002, completion: null, changed: false }];
  const put = jest.fn();
  const prices = {
    tables,
    rows,
    put,
    builtIn: new Map(),
    losses: new Map(),
    isLoading: false,
    servedModels: [],
    savedRow: () => undefined,
    listCards: new Map(),
    groupRatio: [],
    baseOf: () => undefined,
  } as unknown as Prices;
  await renderScreen({ routes: [{ path: '/', element: <VisualPrices prices={prices} /> }] });
  fireEvent.click(await screen.findByText('draw'));
  fireEvent.click(await screen.findByRole('button', { name: 'Per token' }));
  put.mockClear();
  fireEvent.change(screen.getByLabelText('Input / 1M'), { target: { value: '3' } });
  expect(put).not.toHaveBeenCalled();
  expect(screen.getByText('Enter a fill value')).toBeInTheDocument();
  fireEvent.change(screen.getByLabelText('Output / 1M'), { target: { value: '9' } });
  expect(put).toHaveBeenCalledTimes(1);
  expect(screen.queryByText('Enter a fill value')).toBeNull();
});

describe('the price of cached input', () => {
  const put = jest.fn();
  const edited = () => (put.mock.lastCall as [PriceTables] | undefined)?.[0].cards?.['chat'];
  const field = () => screen.getByLabelText<HTMLInputElement>('Cached / 1M');
  const open = async (ratios: object, base: (input: number) => object | undefined) => {
    const tables: PriceTables = { price: {}, ratio: { chat: 1.25 }, completion: {} };
    const rows = [{ model: 'chat', ratio: 1.25, price: null, completion: 4, changed: false, ...ratios }];
    const prices = {
      tables,
      rows,
      put,
      builtIn: new Map(),
      losses: new Map(),
      isLoading: false,
      servedModels: [],
      savedRow: () => undefined,
      listCards: new Map(),
      groupRatio: [],
      baseOf: (_model: string, input: number) => base(input),
    } as unknown as Prices;
    await renderScreen({ routes: [{ path: '/', element: <VisualPrices prices={prices} /> }] });
    fireEvent.click(await screen.findByText('chat'));
    await screen.findByLabelText('Cached / 1M');
  };
  beforeEach(() => put.mockClear());

  it('is the one of the ratios, which follows the input price until it is typed', async () => {
    await open({}, (input) => ({ prices: { cachedInput: input / 2, cacheWrite: input * 1.25 } }));
    expect(field()).toHaveValue('1.25');
    for (const value of ['1', '16']) fireEvent.change(screen.getByLabelText('Input / 1M'), { target: { value } });
    expect(edited()).toEqual({ prices: { input: 16, output: 10, cachedInput: 8, cacheWrite: 20 } });
    fireEvent.change(field(), { target: { value: '3' } });
    expect(edited()).toEqual({ prices: { input: 16, output: 10, cachedInput: 3, cacheWrite: 20 } });
  });

  it('is shown as the price of input where a card has none, and is typed or emptied there', async () => {
    const card = { input: 3, cachedInput: null, output: 15, isList: false, asOf: null, isOld: false };
    await open({ card }, () => undefined);
    expect(field()).toHaveValue('');
    expect(field().placeholder).toBe('3');
    screen.getByText('Empty: as input');
    fireEvent.change(field(), { target: { value: '0.3' } });
    expect(edited()).toEqual({ prices: { input: 3, output: 15, cachedInput: 0.3 } });
    fireEvent.change(field(), { target: { value: '' } });
    expect(edited()).toEqual({ prices: { input: 3, output: 15 } });
    put.mockClear();
    fireEvent.change(field(), { target: { value: 'x' } });
    expect(put).not.toHaveBeenCalled();
    screen.getByText('Enter a number');
  });
});
