import { ApolloLink } from '@apollo/client';
import { fireEvent, screen } from '@testing-library/react';
import { delay, of } from 'rxjs';
import { builtInDashboards } from '../../nouns/dashboards/builtIn.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { session } from '../../lib/session.js';
import { signInAs } from '../../testing/signInAs.js';
import { DashboardScreen } from './DashboardScreen.js';

const figures = {
  quota: 500_000,
  calls: 12,
  failedCalls: 0,
  errorRate: 0,
  averageMs: 800,
  promptTokens: 7,
  completionTokens: 5,
  totalTokens: 12,
  callsPerMinute: 0.2,
  p50Ms: 400,
  p95Ms: 900,
  cost: { marginUsd: 0.25, knownUsd: 1, usd: 1, upstreamUsd: 0.75, knownCalls: 12 },
};
const range = { from: '2025-11-19T00:00:00Z', until: '2025-11-20T00:00:00Z' };
const page = (calls: number) => ({
  items: [{ time: range.from, key: { isOthers: false, modelName: 'm1' }, metrics: figures, compared: figures }],
  range,
  total: { ...figures, calls },
  comparedTotal: figures,
});

const signInCommon = () =>
  session.start({ id: 1, username: 'ada', displayName: 'Ada', role: 1, status: 1, group: 'default' });

interface Sent {
  readonly name: string;
  readonly variables: unknown;
}
/** Answers each query of the panels, and notes what was sent. */
function answering(calls = 12) {
  const sent: Sent[] = [];
  const link = new ApolloLink(({ operationName = '', variables }) => {
    sent.push({ name: operationName, variables });
    const data = { usage: page(calls), myUsage: page(calls), topUps: { sums: { keptByCurrency: [] } } };
    const minute = { lastMinute: { calls: 3, tokens: 40 } };
    return of({ data: { ...data, logs: minute, myLogs: minute } }).pipe(delay(10));
  });
  return { sent, link };
}
const open = (link: ApolloLink, path = '/', dashboards = builtInDashboards) =>
  renderScreen({ path, link, routes: [{ path: '/', element: <DashboardScreen dashboards={dashboards} /> }] });
const titles = () =>
  [...document.querySelectorAll('section')].map((section) => section.getAttribute('aria-label')).filter(Boolean);

it('has the panels of the built-in dashboard of the site for admins, and asks each query once', async () => {
  signInAs('USAGE_READ');
  const { sent, link } = answering();
  await open(link);
  await screen.findByText('$1.00 per day');
  const { panels } = builtInDashboards.site;
  expect(titles()).toEqual(expect.arrayContaining(panels.map(({ title }) => title)));
  const names = sent.map(({ name }) => name);
  const queries = ['Usage', 'LastMinute', 'Received', 'SpendByModel', 'TopModels', 'TopUsers', 'TopChannels'];
  for (const name of queries) expect(names.filter((one) => one === name)).toHaveLength(1);
});

it('is drawn from the definition: another one is another page', async () => {
  signInAs('USAGE_READ');
  const { sent, link } = answering();
  const [first, ...others] = builtInDashboards.site.panels;
  const added = {
    ...first,
    title: 'Only here',
    kind: 'RANKING' as const,
    query: 'query Added($range: TimeRange!) { usage(range: $range) { items { key { modelName } metrics { calls } } } }',
    shape: {
      rows: 'usage.items',
      columns: [
        { path: 'key.modelName', field: 'key.modelName', kind: 'TEXT' as const },
        { path: 'metrics.calls', field: 'metrics.calls', kind: 'NUMBER' as const },
      ],
      values: [],
    },
  };
  const site = {
    ...builtInDashboards.site,
    panels: [first, added, ...others.slice(-1)] as typeof builtInDashboards.site.panels,
  };
  await open(link, '/', { ...builtInDashboards, site });
  await screen.findByText('m1');
  expect(sent.map(({ name }) => name)).toContain('Added');
  expect(titles()).toEqual(expect.arrayContaining(['Spend', 'Only here', 'Top channels']));
  expect(titles()).not.toContain('Spend by model');
});

it('has the reader’s own usage for common users, who may read no saved dashboards', async () => {
  signInCommon();
  const { sent, link } = answering();
  await open(link);
  await screen.findByText('Tokens 40');
  expect(titles()).toEqual(builtInDashboards.mine.panels.map(({ title }) => title));
  fireEvent.click(screen.getByRole('button', { name: 'More actions' }));
  expect((await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)).toEqual(['Refresh', 'Export']);
  expect(sent.map(({ name }) => name).sort()).toEqual(['LastMinute', 'SpendByModel', 'TopModels', 'Usage']);
});

it('gives the chosen user to the queries, and leaves panels out that are of all users', async () => {
  signInAs('USAGE_READ');
  const { sent, link } = answering(0);
  await open(link, '/?user=ada');
  await screen.findByText('No calls by a user named “ada” in this range.');
  const variables = (name: string) => sent.filter((one) => one.name === name).map((one) => one.variables);
  expect(variables('Usage')).toMatchObject([{ usageFilter: { usernames: ['ada'] } }]);
  expect(variables('LastMinute')).toEqual([{ logFilter: { username: 'ada' } }]);
  expect(variables('TopUsers')).toEqual([]);
  expect(titles()).not.toContain('Top-ups received');
});

it('says why nothing could be loaded, and tries again', async () => {
  signInCommon();
  let isBroken = true;
  const { link } = answering();
  const failing = new ApolloLink((operation, forward) =>
    isBroken
      ? of({ errors: [{ message: 'The figures could not be read', extensions: { code: 'UPSTREAM' } }] })
      : forward(operation),
  );
  await open(ApolloLink.from([failing, link]));
  await screen.findByText('The dashboard could not be loaded');
  isBroken = false;
  fireEvent.click(screen.getByRole('button', { name: 'Retry' }));
  await screen.findByText('$1.00 per day');
});
