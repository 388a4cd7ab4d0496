import { screen, within } from '@testing-library/react';
import { AlertsDocument } from '../../nouns/alerts/alerts.generated.js';
import { ChannelHealthDocument } from '../../nouns/health/channelHealth.generated.js';
import { session } from '../../lib/session.js';
import { answers } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { DashboardNews } from './DashboardNews.js';

const good = {
  __typename: 'ChannelHealth',
  channelId: 8,
  channelName: 'Good',
  calls: 996,
  failedAttempts: 0,
  failureRate: 0,
  rescuedAttempts: 0,
  p50Ms: 420,
  p95Ms: 1310,
  failures: [],
};
const refused = {
  __typename: 'ChannelFailure',
  kind: 'REFUSED',
  attempts: 40,
  lastModel: 'gpt-4o',
  lastError: 'status 401: Incorrect API key',
  lastAt: new Date(Date.now() - 300_000).toISOString(),
};
const dead = {
  __typename: 'ChannelHealth',
  channelId: 9,
  channelName: 'Dead',
  calls: 0,
  failedAttempts: 40,
  failureRate: 1,
  rescuedAttempts: 40,
  p50Ms: null,
  p95Ms: null,
  failures: [refused],
};
const list = (...rows: readonly object[]) => ({
  channelHealth: { __typename: 'ChannelHealthList', from: '2026-11-20T10:00:00.000Z', rows },
});
const open = (element: React.ReactElement, ...mocks: readonly object[]) =>
  renderScreen({ path: '/', routes: [{ path: '*', element }], mocks: mocks as never });

beforeEach(() => {
  session.start({ id: 1, username: 'ada', displayName: 'Ada', role: 100, status: 1, group: 'default' });
});
afterAll(() => session.end());

it('names open alerts above them, with the number of all', async () => {
  const alert = {
    __typename: 'Alert',
    id: 4,
    kind: 'CHANNEL_DISABLED',
    channelId: 9,
    channelName: 'Dead',
    reason: 'status 401',
    balance: null,
    threshold: null,
    calls: null,
    failedCalls: null,
    models: [],
    count: null,
    openedAt: '2026-11-20T10:00:00.000Z',
    endedAt: null,
    failedMessages: [],
  };
  const alerts = { alerts: { __typename: 'AlertPage', totalCount: 45, items: [alert] } };
  await open(<DashboardNews first="spend" />, answers(AlertsDocument, alerts), answers(ChannelHealthDocument, list()));
  const card = within(await screen.findByRole('region', { name: 'Alerts' }));
  expect(card.getByRole('link', { name: 'Dead (#9)' })).toHaveAttribute('href', '/channel/9');
  expect(card.getByRole('link', { name: 'All open alerts (45)' })).toHaveAttribute('href', '/alert?state=open');
  screen.getByText('spend');
});

it('puts the failing channels with their reasons on the dashboard', async () => {
  const { unmount } = await open(<DashboardNews first={null} />, answers(ChannelHealthDocument, list(dead, good)));
  const card = within(await screen.findByRole('region', { name: 'Failing channels, last hour' }));
  expect(card.getByRole('link', { name: 'Dead' })).toHaveAttribute('href', '/channel/9');
  expect(card.getByText(/Refused × 40 · status 401: Incorrect API key/)).toBeVisible();
  expect(card.queryByText('Good')).not.toBeInTheDocument();
  expect(card.getByRole('link', { name: 'Channel health' })).toHaveAttribute('href', '/channel-health');
  unmount();
  await open(<DashboardNews first={null} />, answers(ChannelHealthDocument, list(good)));
  expect(await screen.findByText('No failed attempts at 1 channel with calls.')).toBeVisible();
});

it('keeps a place for the news while they load, for users who may see them', async () => {
  const slow = { ...answers(ChannelHealthDocument, list()), delay: Infinity };
  const { unmount } = await open(<DashboardNews first="spend" />, slow, answers(AlertsDocument, { alerts: null }));
  expect(document.querySelector('.MuiSkeleton-root')).not.toBeNull();
  unmount();
  session.start({ id: 1, username: 'ada', displayName: 'Ada', role: 1, status: 1, group: 'default' });
  await open(<DashboardNews first="spend" />);
  expect(document.querySelector('.MuiSkeleton-root')).toBeNull();
});
