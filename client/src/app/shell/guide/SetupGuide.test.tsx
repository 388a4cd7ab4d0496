import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { session } from '../../../lib/session.js';
import { renderScreen } from '../../../testing/renderScreen.js';
import { SetupGuide } from './SetupGuide.js';
import { FirstStepsDocument } from './firstSteps.generated.js';

/** A site that was just set up. */
const fresh = { channels: { items: [] }, enabledModels: [], unpricedModels: [], tokens: { items: [] }, requests: 0 };
const tested = (error: string | null) => ({ items: [{ lastTest: { error } }] });

/** Calls of the site, which a test may add. */
const requestsOf = { now: 0 };

/** Shows the list for a site, and counts how often it was read. */
async function show(site: Partial<Record<keyof typeof fresh, unknown>>) {
  const { requests, ...data } = { ...fresh, ...site };
  const calls = () => (requestsOf.now > 0 ? [{ __typename: 'Log', id: 77, at: '2026-11-20T14:05:00.000Z' }] : []);
  requestsOf.now = Number(requests);
  const read = jest.fn(() => ({
    data: { ...data, users: { items: [{ requestCount: requestsOf.now }] }, logs: { items: calls() } },
  }));
  const mock = { request: { query: FirstStepsDocument, variables: () => true }, result: read, maxUsageCount: 9 };
  const screenOf = await renderScreen({
    routes: [
      {
        path: '/',
        element: (
          <>
            <p>dashboard</p>
            <SetupGuide />
          </>
        ),
      },
      ...['/channel', '/channel/add', '/setting', '/token', '/playground', '/log'].map((path) => ({
        path,
        element: <p>opened</p>,
      })),
    ],
    mocks: [mock] as never,
  });
  return { ...screenOf, read };
}
const signIn = (role: number) =>
  session.start({ id: 1, username: 'root', displayName: 'Root', role, status: 1, group: 'default' });
const list = () => screen.findByRole('region', { name: 'First steps' });
/** The name of each step, with whether it is done. */
const states = async () =>
  within(await list())
    .getAllByRole('link')
    .map((link) => [
      link.querySelector('.MuiListItemText-primary')?.textContent,
      within(link).queryByTitle('Done') !== null,
    ]);

beforeEach(() => signIn(100));
afterEach(() => {
  localStorage.clear();
  session.end();
});

it('lists five open steps on a fresh site, in one request', async () => {
  const { read } = await show({});
  expect(await states()).toEqual([
    ['Add a channel', false],
    ['Test the channel', false],
    ['Set the price of a model', false],
    ['Create a token', false],
    ['Make the first call', false],
  ]);
  screen.getByText('0 of 5 done');
  expect(read).toHaveBeenCalledTimes(1);
});

it.each([
  ['a channel that was never tested', { channels: { items: [{ lastTest: null }] } }, [true, false, false, false]],
  ['a channel that failed its test', { channels: tested('status code 401') }, [true, false, false, false]],
  ['a channel that passed its test', { channels: tested(null) }, [true, true, false, false]],
  ['models without a price', { enabledModels: ['own'], unpricedModels: ['own'] }, [false, false, false, false]],
  ['one model with a price', { enabledModels: ['own', 'o3'], unpricedModels: ['own'] }, [false, false, true, false]],
  ['a token', { tokens: { items: [{ id: 4 }] } }, [false, false, false, true]],
])('marks what is done: %s', async (_, site, done) => {
  await show(site);
  expect((await states()).map(([, isDone]) => isDone)).toEqual([...done, false]);
});

it.each([
  ['Add a channel', '/channel/add'],
  ['Test the channel', '/channel'],
  ['Set the price of a model', '/setting?tab=operation&section=prices&view=unset'],
  ['Create a token', '/token?row=new'],
  ['Make the first call', '/playground'],
])('opens the screen of a step with one click: %s', async (name, address) => {
  const { location } = await show({});
  fireEvent.click(within(await list()).getByText(name));
  await screen.findByText('opened');
  expect(location()).toBe(address);
});

it('shows nothing on a site in use, and does not read it again in this browser', async () => {
  const first = await show({ requests: 3 });
  await waitFor(() => expect(localStorage.getItem('first-steps')).toBe('done'));
  expect(screen.queryByRole('region')).toBeNull();
  first.unmount();
  const second = await show({ requests: 3 });
  await screen.findByText('dashboard');
  expect([first.read.mock.calls.length, second.read.mock.calls.length]).toEqual([1, 0]);
});

it('stays until the first charged call, which it sees by itself, and leads to its receipt', async () => {
  jest.useFakeTimers({ advanceTimers: true, doNotFake: ['queueMicrotask'] });
  const ready = {
    channels: tested(null),
    enabledModels: ['o3'],
    tokens: { items: [{ id: 4 }] },
  };
  const { location } = await show(ready);
  expect((await states()).map(([, isDone]) => isDone)).toEqual([true, true, true, true, false]);
  requestsOf.now = 1;
  await act(() => jest.advanceTimersByTimeAsync(6000));
  await screen.findByText('First call charged');
  jest.useRealTimers();
  fireEvent.click(screen.getByRole('link', { name: 'See what it cost and why' }));
  await screen.findByText('opened');
  expect(location()).toBe(`/log?row=77&rowAt=${Date.parse('2026-11-20T14:05:00.000Z') / 1000}`);
});

it('can be folded, and stays so', async () => {
  const { unmount } = await show({});
  await list();
  fireEvent.click(screen.getByRole('button', { name: 'Fold the first steps' }));
  expect(within(await list()).queryAllByRole('link')).toEqual([]);
  unmount();
  await show({});
  expect(within(await list()).queryAllByRole('link')).toEqual([]);
  fireEvent.click(screen.getByRole('button', { name: 'Unfold the first steps' }));
  expect(within(await list()).queryAllByRole('link')).toHaveLength(5);
});

it('stays hidden once it was dismissed', async () => {
  const { unmount } = await show({});
  await list();
  fireEvent.click(screen.getByRole('button', { name: 'Hide the first steps' }));
  expect(screen.queryByRole('region')).toBeNull();
  unmount();
  const { read } = await show({});
  await screen.findByText('dashboard');
  expect(screen.queryByRole('region')).toBeNull();
  expect(read).not.toHaveBeenCalled();
});
