import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { ChannelHealthDocument } from '../../nouns/health/channelHealth.generated.js';
import { session } from '../../lib/session.js';
import { answers, failsOnce, headers, rowOf, toneOf } from '../../testing/lists.js';
import { onPhone } from '../../testing/onPhone.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { ChannelHealthScreen } from './ChannelHealthScreen.js';

const failure = (kind: string, attempts: number, lastError: string) => ({
  __typename: 'ChannelFailure',
  kind,
  attempts,
  lastError,
  lastModel: 'gpt-4o',
  lastAt: new Date(Date.now() - 300_000).toISOString(),
});
const row = (channelId: number, channelName: string, more: object = {}) => ({
  __typename: 'ChannelHealth',
  channelId,
  channelName,
  calls: 996,
  failedAttempts: 0,
  failureRate: 0,
  rescuedAttempts: 0,
  p50Ms: 420,
  p95Ms: 1310,
  failures: [],
  ...more,
});
const failing = row(7, 'Reseller', {
  calls: 1997,
  failedAttempts: 3,
  failureRate: 3 / 2000,
  rescuedAttempts: 2,
  p50Ms: 800,
  p95Ms: 9000,
  failures: [failure('RATE_LIMITED', 2, 'status 429: slow down'), failure('REQUEST', 1, 'status 400')],
});
const dead = row(9, 'Dead', {
  calls: 0,
  failedAttempts: 40,
  failureRate: 1,
  rescuedAttempts: 40,
  p50Ms: null,
  p95Ms: null,
  failures: [failure('REFUSED', 40, 'status 401: Incorrect API key')],
});
const list = (...rows: readonly object[]) => ({
  channelHealth: { __typename: 'ChannelHealthList', from: '2026-11-20T10:00:00.000Z', rows },
});
const open = (element: React.ReactElement, ...mocks: readonly object[]) =>
  renderScreen({ path: '/', routes: [{ path: '*', element }], mocks: mocks as never });
const names = () =>
  [...document.querySelectorAll('[role=row][data-id] [data-field=channelName]')].map((cell) => cell.textContent);

beforeEach(() => {
  session.start({ id: 1, username: 'ada', displayName: 'Ada', role: 100, status: 1, group: 'default' });
});
afterAll(() => session.end());

it('shows rate, times, rescued attempts and the last error of each channel, the rate rounded up', async () => {
  await open(<ChannelHealthScreen />, answers(ChannelHealthDocument, list(dead, failing, row(8, 'Good'))));
  const bad = await rowOf('Reseller');
  expect(await headers()).toEqual([
    ...['Channel', 'Failure rate', 'Failed attempts', 'Rescued', 'Served calls', 'p50', 'p95', 'Last error'],
  ]);
  // 0.15 %.
  expect(toneOf(bad.getByText('0.2%'))).toBe('amber');
  for (const text of ['3', '2', '800 ms', '9.00 s']) expect(bad.getByText(text)).toBeVisible();
  expect(bad.getByText('No capacity × 2 · status 429: slow down · 5 minutes ago')).toBeVisible();
  expect(toneOf((await rowOf('Dead')).getByText('100%'))).toBe('red');
  expect(toneOf((await rowOf('Good')).getByText('0%'))).toBe('green');
});

it('says every kind of failure in the hint of the rate', async () => {
  await open(<ChannelHealthScreen />, answers(ChannelHealthDocument, list(failing)));
  fireEvent.mouseOver((await rowOf('Reseller')).getByText('0.2%'));
  const hint = await screen.findByRole('tooltip');
  expect(hint).toHaveTextContent('No capacity × 2 · status 429: slow down');
  expect(hint).toHaveTextContent('Invalid request × 1 · status 400');
});

it('sorts by a number, and channels without one come last', async () => {
  await open(<ChannelHealthScreen />, answers(ChannelHealthDocument, list(dead, failing, row(8, 'Good'))));
  await rowOf('Dead');
  expect(names()).toEqual(['Dead', 'Reseller', 'Good']);
  fireEvent.click(screen.getByRole('columnheader', { name: /^p95/ }));
  await waitFor(() => expect(names()).toEqual(['Reseller', 'Good', 'Dead']));
});

it('asks for the period that was chosen, and can try again after a failure', async () => {
  const asked = (window: string, name: string) => ({
    request: { query: ChannelHealthDocument, variables: { window } },
    result: { data: list(row(1, name)) },
  });
  const { unmount } = await open(<ChannelHealthScreen />, asked('HOUR', 'of-an-hour'), asked('DAY', 'of-a-day'));
  await rowOf('of-an-hour');
  fireEvent.click(screen.getByRole('button', { name: '24 hours' }));
  await rowOf('of-a-day');
  unmount();
  await open(<ChannelHealthScreen />, ...failsOnce(ChannelHealthDocument, 'no database', list(row(1, 'back'))));
  fireEvent.click(await screen.findByRole('button', { name: 'Retry' }));
  await rowOf('back');
});

it('is a list of cards on phones', async () => {
  onPhone();
  await open(<ChannelHealthScreen />, answers(ChannelHealthDocument, list(failing)));
  const card = (await screen.findByText('Reseller')).closest('li');
  if (!card) throw new Error('no card');
  expect(within(card).getByText('p50 800 ms, p95 9.00 s')).toBeVisible();
  expect(within(card).getByText('3 failed, 2 rescued')).toBeVisible();
  jest.restoreAllMocks();
});

it.each([
  ['Reset', 'Goo'],
  ['Clear filters', 'no such name'],
])('keeps the period when the filters are reset by “%s”', async (button, keyword) => {
  const asked = jest.fn();
  const mock = {
    request: { query: ChannelHealthDocument, variables: (variables: object) => Boolean(asked(variables)) || true },
    result: { data: list(row(8, 'Good')) },
    maxUsageCount: 9,
  };
  const { location } = await renderScreen({
    path: `/channel-health?window=DAY&keyword=${keyword}`,
    routes: [{ path: '*', element: <ChannelHealthScreen /> }],
    mocks: [mock] as never,
  });
  fireEvent.click(await screen.findByRole('button', { name: button }));
  await waitFor(() => expect(location()).toBe('/channel-health?window=DAY'));
  await rowOf('Good');
  expect(asked.mock.calls).toEqual([[{ window: 'DAY' }]]);
});
