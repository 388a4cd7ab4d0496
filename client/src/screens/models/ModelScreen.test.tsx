import { screen, within } from '@testing-library/react';
import { answers, failsOnce } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { ModelPageDocument, ModelSaleDocument } from './models.generated.js';
import { ModelScreen } from './ModelScreen.js';

jest.setTimeout(60_000);

const line = (quantity: string, price: number, isPerMillion = true) => ({
  __typename: 'PriceLine',
  quantity,
  price,
  isPerMillion,
});
const cost = (channelId: number, channelName: string, more: object) => ({
  __typename: 'ChannelModelCost',
  channelId,
  channelName,
  groups: ['default'],
  basis: 'LIST',
  factor: 1,
  lines: [line('input', 2), line('output', 8)],
  ...more,
});
const effective = {
  __typename: 'EffectivePrice',
  source: 'CARD',
  asOf: '2026-05',
  isOld: true,
  lines: [line('input', 2.5), line('output', 10)],
};
const sale = (more: object) => ({
  modelSale: {
    __typename: 'ModelSale',
    effective,
    groups: [
      { __typename: 'GroupRatio', name: 'default', ratio: 1 },
      { __typename: 'GroupRatio', name: 'vip', ratio: 0.5 },
    ],
    costs: [
      cost(1, 'North', {}),
      cost(2, 'South', { groups: ['default', 'vip'], factor: 1.3, lines: [line('input', 2.6), line('output', 10.4)] }),
      cost(3, 'East', { basis: null, factor: null, lines: [] }),
    ],
    ...more,
  },
});
const page = answers(ModelPageDocument, { channels: { __typename: 'ChannelPage', totalCount: 3 } });

const show = (...mocks: object[]) =>
  renderScreen({
    path: '/model/gpt-4o/price',
    routes: [{ path: '/model/:name/:tab', element: <ModelScreen /> }],
    mocks: [page, ...mocks] as never,
  });

const rowsOf = async (name: string) =>
  within(await screen.findByRole('region', { name }))
    .getAllByRole('row')
    .map((row) => row.textContent);

it('shows what each group pays, what that costs, and the margin at the dearest channel', async () => {
  signInAs();
  await show(answers(ModelSaleDocument, sale({})));
  expect(await rowsOf('Price and margin by group')).toEqual([
    'QuantityPriceCostMarginMargin %',
    'default 1×',
    'Input$2.50 / 1M$2.00 – $2.60 / 1M-$0.10 / 1M-4%',
    'Output$10.00 / 1M$8.00 – $10.40 / 1M-$0.40 / 1M-4%',
    'vip 0.5×',
    'Input$1.25 / 1M$2.60 / 1M-$1.35 / 1M-108%',
    'Output$5.00 / 1M$10.40 / 1M-$5.40 / 1M-108%',
  ]);
  expect(await rowsOf('Cost by channel')).toEqual([
    'ChannelGroupCost fromCost',
    'NorthdefaultList priceInput $2.00 / 1MOutput $8.00 / 1M',
    'SouthdefaultvipList price × 1.3Input $2.60 / 1MOutput $10.40 / 1M',
    'EastdefaultNot known–',
  ]);
  screen.getByText('Own card');
  screen.getByText('2026-05 · older than 90 days');
  expect(screen.getByRole('link', { name: 'South' }).getAttribute('href')).toBe('/channel/2');
  expect(screen.getByRole('link', { name: 'Edit price' }).getAttribute('href')).toBe(
    '/setting?tab=operation&section=prices&model=gpt-4o',
  );
});

it('compares nothing where the price is per call and the cost by tokens', async () => {
  signInAs();
  const perCall = { ...effective, source: 'TABLE', asOf: null, isOld: false, lines: [line('request', 0.02, false)] };
  await show(answers(ModelSaleDocument, sale({ effective: perCall, costs: [cost(1, 'North', {})] })));
  const rows = await rowsOf('Price and margin by group');
  expect(rows.slice(2, 5)).toEqual(['Request$0.020 each–––', 'Input–$2.00 / 1M––', 'Output–$8.00 / 1M––']);
});

it('says that the model has no price and no channel', async () => {
  signInAs();
  await show(answers(ModelSaleDocument, sale({ effective: null, groups: [], costs: [] })));
  await screen.findByText('No enabled channel serves this model');
  screen.getByText(/^No price is set, so calls are refused/);
});

it('says that the price failed to load, and loads it again', async () => {
  signInAs();
  await show(...failsOnce(ModelSaleDocument, 'The database is busy', sale({})));
  await screen.findByText('The database is busy');
  within(screen.getByRole('tabpanel')).getByRole('button', { name: 'Retry' }).click();
  await screen.findByRole('region', { name: 'Cost by channel' });
});

it('has no tab for users who neither set prices nor write channels', async () => {
  signInAs('USAGE_READ', 'CHANNELS_READ');
  await show();
  await screen.findByRole('tab', { name: 'Errors' });
  expect(screen.queryByRole('tab', { name: 'Price' })).toBeNull();
});
