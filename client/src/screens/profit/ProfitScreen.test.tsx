import { fireEvent, screen, within } from '@testing-library/react';
import { headers, rowOf } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { ProfitDocument } from './profit.generated.js';
import { ProfitScreen } from './ProfitScreen.js';

jest.setTimeout(60_000);

const figures = (calls: number, knownCalls: number, usd: number, upstreamUsd: number, planUsd = 0) => ({
  __typename: 'UsageMetrics',
  calls,
  quota: 86_895_000,
  cost: { __typename: 'UsageCost', usd, planUsd, upstreamUsd, marginUsd: usd - upstreamUsd, knownCalls },
});
const row = (key: object, metrics: object) => ({
  __typename: 'UsageRow',
  key: {
    __typename: 'UsageKey',
    channelId: null,
    channelName: null,
    upstreamKeyName: null,
    modelName: null,
    userId: null,
    username: null,
    group: null,
    ...key,
  },
  metrics,
});

/** @param asked collects the variables of the queries */
const page = (asked: Record<string, unknown>[], items: object[], total = figures(34_458, 228, 1.13, 1.16)) => ({
  request: {
    query: ProfitDocument,
    variables: (variables: Record<string, unknown>) => {
      asked.push(variables);
      return true;
    },
  },
  result: {
    data: {
      usage: {
        __typename: 'UsagePage',
        totalCount: items.length,
        range: { __typename: 'ResolvedRange', from: '2026-11-20T00:00:00Z', until: '2026-11-27T00:00:00Z' },
        items,
        total,
      },
    },
  },
  maxUsageCount: 9,
});

const show = (mocks: object[], path = '/profit') =>
  renderScreen({ path, routes: [{ path: '/profit', element: <ProfitScreen /> }], mocks: mocks as never });

it('lists what channels earned, the worst first, and says what is known', async () => {
  signInAs();
  const asked: Record<string, unknown>[] = [];
  const items = [
    row({ channelId: 25, channelName: 'xAI primary' }, figures(9000, 200, 0.5, 0.50177)),
    row({ channelId: 7, channelName: null }, figures(12, 12, 12, 6)),
    row({ channelId: 8, channelName: 'Unknown costs' }, figures(3, 0, 0, 0)),
  ];
  await show([page(asked, items)]);
  const losing = await rowOf('xAI primary');
  expect(await headers()).toEqual([
    ...[
      'Channel',
      'Margin',
      'Margin %',
      'Charged, cost known',
      'Upstream cost',
      'Paid by plans',
      'Cost known for',
      'Charged, all',
    ],
  ]);
  for (const text of ['-$0.0018', '-0.4%', '$0.50', '200 of 9,000 calls', '$173.79']) losing.getAllByText(text);
  expect(losing.getByRole('link', { name: 'Show the calls of xAI primary' }).getAttribute('href')).toMatch(
    /^\/log\?channelId=25&type=CONSUME&from=\d+$/,
  );
  (await rowOf('#7')).getByText('50.0%');
  const unknown = await rowOf('Unknown costs');
  unknown.getByText('0 of 3 calls');
  expect(unknown.getAllByText('–')).toHaveLength(5);
  const sums = within(await screen.findByLabelText('Profit of this range'));
  for (const text of ['$1.13', '$1.16', '-$0.03', 'Cost known for 228 of 34,458 calls', '-2.7%']) sums.getByText(text);
  expect(sums.queryByText('Paid by plans')).toBeNull();
  expect(asked.at(-1)).toMatchObject({
    groupBy: ['CHANNEL'],
    orderBy: [{ metric: 'MARGIN_USD', of: 'CURRENT', direction: 'ASC' }],
  });
});

it('asks by model, user, key and group, in the order of the column', async () => {
  signInAs();
  const asked: Record<string, unknown>[] = [];
  const key = { channelId: 3, channelName: 'OpenAI', upstreamKeyName: 'a1b2', modelName: 'gpt-5.4' };
  await show([page(asked, [row(key, figures(1, 1, 2, 1))])], '/profit?of=key&sort=knownUsd:desc');
  (await rowOf('OpenAI')).getByText('…a1b2');
  expect(asked.at(-1)).toMatchObject({
    groupBy: ['CHANNEL', 'UPSTREAM_KEY'],
    orderBy: [{ metric: 'KNOWN_USD', of: 'CURRENT', direction: 'DESC' }],
  });
  fireEvent.click(screen.getByRole('button', { name: 'Model' }));
  await rowOf('gpt-5.4');
  expect(asked.at(-1)).toMatchObject({ groupBy: ['MODEL'] });
  for (const [name, dimension] of [
    ['User', 'USER'],
    ['Group', 'GROUP'],
  ] as const) {
    fireEvent.click(screen.getByRole('button', { name }));
    await screen.findByRole('columnheader', { name });
    expect(asked.at(-1)).toMatchObject({ groupBy: [dimension] });
  }
});

it('shows what plans paid apart from the margin', async () => {
  signInAs();
  const sold = figures(10, 10, 2, 3, 4.5);
  await show([page([], [row({ channelId: 25, channelName: 'Planned' }, sold)], sold)]);
  (await rowOf('Planned')).getByText('$4.50');
  const sums = within(await screen.findByLabelText('Profit of this range'));
  for (const text of ['$2.00', '-$1.00', 'Paid by plans', '$4.50', 'not in the margin']) sums.getByText(text);
});

it('says when there is nothing, and when the figures could not be read', async () => {
  signInAs();
  await show([page([], [], figures(0, 0, 0, 0))]);
  await screen.findByText('No calls in this range');
});

it('shows the error in place', async () => {
  signInAs();
  const failing = {
    request: { query: ProfitDocument, variables: () => true },
    result: { errors: [{ message: 'use a shorter range, or a filter', extensions: { code: 'INVALID_INPUT' } }] },
    maxUsageCount: 9,
  };
  await show([failing], '/profit?of=key');
  await screen.findByText(/use a shorter range/);
  expect(within(screen.getByLabelText('Profit of this range')).getAllByText('–')).toHaveLength(4);
});
