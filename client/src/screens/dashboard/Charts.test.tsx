import { fireEvent, screen, waitFor } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { Charts } from './Charts.js';
import { SpendOfModelsDocument } from './dashboard.generated.js';
import type { DashboardData } from './useDashboard.js';

const start = Date.UTC(2025, 10, 20);
const time = new Date(start).toISOString();
const metrics = { __typename: 'UsageMetrics', quota: 40, calls: 120, failedCalls: 0 };
const cell = (modelName: string | null) => ({
  __typename: 'UsageCell',
  time,
  key: { __typename: 'UsageKey', modelName, isOthers: modelName === null },
  metrics,
});
const names = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7'];
const dataOf = (models: readonly string[]) =>
  ({
    from: start,
    to: start + 3_600_000,
    granularity: 'hour',
    current: { quota: 90 },
    buckets: [{ start, end: start + 3_600_000 }],
    timeline: [metrics],
    before: [null],
    spend: [...names.slice(0, 5), null].map(cell),
    models: models.map((modelName) => ({ key: { modelName }, metrics })),
    users: [],
    channels: [],
    question: {
      everybody: true,
      range: { from: time, until: time },
      timeZone: 'UTC',
      bucket: 'HOUR',
      cells: 100,
      filter: null,
    },
  }) as unknown as DashboardData;
const open = (models: readonly string[], ...mocks: readonly object[]) =>
  renderScreen({
    routes: [{ path: '/', element: <Charts data={dataOf(models)} everybody oneUser={false} /> }],
    mocks: mocks as never,
  });

beforeEach(() => signInAs());

it('breaks "Other" up: busy while the models load, and again after a failure', async () => {
  const request = { query: SpendOfModelsDocument, variables: () => true };
  await open(
    names,
    {
      request,
      result: { errors: [{ message: 'The figures could not be read', extensions: { code: 'UPSTREAM' } }] },
      delay: 500,
    },
    { request, result: { data: { usage: { __typename: 'UsagePage', items: ['m6', 'm7'].map(cell) } } }, delay: 500 },
  );
  const other = () => screen.getByRole('button', { name: 'Other' });
  await screen.findByRole('button', { name: 'Other' });
  fireEvent.click(other());
  expect(other()).toHaveAttribute('aria-busy', 'true');
  await screen.findByText('The figures could not be read');
  await waitFor(() => expect(other()).toHaveAttribute('aria-busy', 'false'));
  fireEvent.click(other());
  fireEvent.click(await screen.findByRole('button', { name: 'All models' }));
  other();
});

it('offers to break "Other" up only when it has models with a name', async () => {
  await open(names.slice(0, 5));
  await screen.findByText('Other');
  expect(screen.queryByRole('button', { name: 'Other' })).toBeNull();
});
