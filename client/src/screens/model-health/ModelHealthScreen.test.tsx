import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { session } from '../../lib/session.js';
import { siteStatus } from '../../lib/status.js';
import { answers, failsOnce, headers, rowOf, toneOf } from '../../testing/lists.js';
import { onPhone } from '../../testing/onPhone.js';
import { chooseFilter } from '../../testing/filters.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { ModelHealthDocument } from './modelHealth.generated.js';
import { ModelHealthScreen } from './ModelHealthScreen.js';

const status = siteStatus.get();
const row = (modelName: string, more: object = {}) => ({
  __typename: 'ModelHealth',
  modelName,
  group: 'default',
  successRate: 0.9987,
  firstTokenP50Ms: 420,
  firstTokenP95Ms: 1310,
  tokensPerSecond: 71.24,
  calls: null,
  lastFailure: null,
  ...more,
});
const list = (...rows: readonly object[]) => ({
  modelHealth: { __typename: 'ModelHealthList', from: '2026-11-20T10:00:00.000Z', rows },
});
const open = (...mocks: readonly object[]) =>
  renderScreen({ path: '/', routes: [{ path: '/', element: <ModelHealthScreen /> }], mocks: mocks as never });
const signIn = (role: number) =>
  session.start({ id: 1, username: 'ada', displayName: 'Ada', role, status: 1, group: 'default' });

beforeEach(() => {
  signIn(1);
  siteStatus.set({ ...status, enableModelHealth: true, publicModelHealth: false });
});
afterAll(() => {
  session.end();
  siteStatus.set(status);
});

it('shows the figures of each model and group, rounded down, with the kind of the last failure', async () => {
  const failed = {
    group: 'vip',
    successRate: 0.94,
    firstTokenP50Ms: null,
    firstTokenP95Ms: null,
    tokensPerSecond: null,
    lastFailure: { __typename: 'ModelFailure', kind: 'RATE_LIMITED', at: new Date(Date.now() - 300_000).toISOString() },
  };
  await open(answers(ModelHealthDocument, list(row('gpt-4o'), row('o1', failed))));
  const good = await rowOf('gpt-4o');
  expect(await headers()).toEqual([
    ...['Model', 'Group', 'Success rate', 'First token, median', 'First token, 95%', 'Tokens/s', 'Last failure'],
  ]);
  expect(toneOf(good.getByText('99.8%'))).toBe('green');
  expect(good.getByText('420 ms')).toBeVisible();
  expect(good.getByText('1.31 s')).toBeVisible();
  expect(good.getByText('71.2')).toBeVisible();
  const bad = await rowOf('o1');
  expect(toneOf(bad.getByText('94.0%'))).toBe('orange');
  expect(bad.getByText('No capacity · 5 minutes ago')).toBeVisible();
  expect(bad.getAllByText('–')).toHaveLength(3);
});

it('shows admins how many calls there were', async () => {
  signIn(10);
  await open(answers(ModelHealthDocument, list(row('gpt-4o', { calls: 12_345 }))));
  expect((await rowOf('gpt-4o')).getByText('12.3k')).toBeVisible();
  expect(await headers()).toContain('Calls');
});

it('narrows the list by name and group', async () => {
  await open(answers(ModelHealthDocument, list(row('gpt-4o'), row('o1', { group: 'vip' }))));
  await rowOf('o1');
  fireEvent.change(screen.getByLabelText('Model name'), { target: { value: 'GPT' } });
  await waitFor(() => expect(screen.queryByText('o1')).not.toBeInTheDocument());
  fireEvent.change(screen.getByLabelText('Model name'), { target: { value: '' } });
  await chooseFilter('Group', 'vip');
  await rowOf('o1');
  expect(screen.queryByText('gpt-4o')).not.toBeInTheDocument();
});

it('asks for the period that was chosen', async () => {
  const asked = (window: string, name: string) => ({
    request: { query: ModelHealthDocument, variables: { window } },
    result: { data: list(row(name)) },
  });
  await open(asked('DAY', 'of-a-day'), asked('WEEK', 'of-a-week'));
  await rowOf('of-a-day');
  fireEvent.click(screen.getByRole('button', { name: '7 days' }));
  await rowOf('of-a-week');
});

it('says so without calls, and can try again after a failure', async () => {
  const { unmount } = await open(answers(ModelHealthDocument, list()));
  expect(await screen.findByText('No calls in this period')).toBeVisible();
  unmount();
  await open(...failsOnce(ModelHealthDocument, 'no database', list(row('gpt-4o'))));
  fireEvent.click(await screen.findByRole('button', { name: 'Retry' }));
  await rowOf('gpt-4o');
});

it('is for visitors only while the site says so', async () => {
  session.end();
  const { unmount } = await open();
  expect(screen.getByText('Sign in to see the health of models')).toBeVisible();
  expect(screen.getByRole('link', { name: 'Sign in' })).toHaveAttribute('href', '/login');
  unmount();
  siteStatus.set({ ...status, enableModelHealth: true, publicModelHealth: true });
  const shown = await open(answers(ModelHealthDocument, list(row('gpt-4o'))));
  await rowOf('gpt-4o');
  shown.unmount();
  siteStatus.set({ ...status, enableModelHealth: false, publicModelHealth: false });
  signIn(1);
  await open();
  expect(screen.getByText('This site does not show the health of models')).toBeVisible();
});

it('is a list of cards on phones', async () => {
  onPhone();
  await open(answers(ModelHealthDocument, list(row('gpt-4o'))));
  const card = (await screen.findByText('gpt-4o')).closest('li');
  if (!card) throw new Error('no card');
  expect(within(card).getByText('First token 420 ms, 95%: 1.31 s')).toBeVisible();
  expect(within(card).getByText('71.2 tokens/s')).toBeVisible();
  jest.restoreAllMocks();
});

it('keeps the period when the filters are reset', async () => {
  const { location } = await renderScreen({
    path: '/?window=WEEK&keyword=gpt&group=default',
    routes: [{ path: '/', element: <ModelHealthScreen /> }],
    mocks: [answers(ModelHealthDocument, list(row('gpt-4o'), row('o1', { group: 'vip' })))] as never,
  });
  await rowOf('gpt-4o');
  fireEvent.click(screen.getByRole('button', { name: 'Reset' }));
  await waitFor(() => expect(location()).toBe('/?window=WEEK'));
});
