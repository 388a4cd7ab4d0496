import { screen, within } from '@testing-library/react';
import { ChannelHealthDocument } from '../../nouns/health/channelHealth.generated.js';
import { session } from '../../lib/session.js';
import { answers } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { ChannelTrouble } from './ChannelTrouble.js';

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

it('puts the failing channels with their reasons on the dashboard', async () => {
  const { unmount } = await open(<ChannelTrouble />, answers(ChannelHealthDocument, list(dead, good)));
  const card = within(await screen.findByRole('region', { name: 'Failing channels, last hour' }));
  expect(card.getByRole('link', { name: 'Dead' })).toHaveAttribute('href', '/channel/9');
  expect(card.getByText(/Refused × 40 · status 401: Incorrect API key/)).toBeVisible();
  expect(card.queryByText('Good')).not.toBeInTheDocument();
  expect(card.getByRole('link', { name: 'Channel health' })).toHaveAttribute('href', '/channel-health');
  unmount();
  await open(<ChannelTrouble />, answers(ChannelHealthDocument, list(good)));
  expect(await screen.findByText('No failed attempts at 1 channel with calls.')).toBeVisible();
});
