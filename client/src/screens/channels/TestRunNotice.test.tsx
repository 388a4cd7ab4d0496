import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { useTranslation } from 'react-i18next';
import { renderScreen } from '../../testing/renderScreen.js';
import { answers } from '../../testing/lists.js';
import { signInAs } from '../../testing/signInAs.js';
import { PageHead } from '../../components/PageHead.js';
import { ChannelTestRunDocument, TestAllChannelsDocument } from './channels.generated.js';
import { TestRunNotice } from './TestRunNotice.js';
import { upkeepActions, useMaintenance } from './useMaintenance.js';

jest.setTimeout(20_000);
beforeEach(() => signInAs());
afterEach(() => localStorage.clear());

const startedAt = '2025-06-02T10:10:00.000Z';
const run = (more: object) => ({
  channelTestRun: {
    __typename: 'ChannelTestRun',
    startedAt,
    endedAt: null,
    total: 40,
    passed: 0,
    failed: 0,
    skipped: 0,
    ...more,
  },
});
const ended = run({ endedAt: '2025-06-02T10:11:00.000Z', passed: 35, failed: 3, skipped: 2 });
const once = (query: object, data: object) => ({ request: { query, variables: () => true }, result: { data } });

function Screen() {
  const maintenance = useMaintenance(
    () => undefined,
    () => undefined,
  );
  return (
    <>
      <PageHead title="Channels" menu={upkeepActions(maintenance, useTranslation().t)} />
      <TestRunNotice />
    </>
  );
}
const open = (...mocks: readonly object[]) =>
  renderScreen({
    path: '/channel?tag=us',
    routes: [{ path: '/channel', element: <Screen /> }],
    mocks: mocks as never,
  });

it('shows a test of all channels from its start to its counts, which stay', async () => {
  await open(
    once(ChannelTestRunDocument, { channelTestRun: null }),
    once(TestAllChannelsDocument, { testAllChannels: { __typename: 'TestAllChannelsPayload', startedAt } }),
    once(ChannelTestRunDocument, run({ passed: 3, failed: 1, skipped: 1 })),
    answers(ChannelTestRunDocument, ended),
  );
  fireEvent.click(screen.getByRole('button', { name: 'More actions' }));
  fireEvent.click(screen.getByRole('menuitem', { name: 'Test all' }));
  const question = within(await screen.findByRole('alertdialog', { name: 'Test all channels?' }));
  fireEvent.click(question.getByRole('button', { name: 'Test all' }));
  expect(await screen.findByText('Testing all channels: 5 of 40 done.')).toBeInTheDocument();
  const result = await screen.findByText(/35 passed, 3 failed, 2 skipped\./, {}, { timeout: 5000 });
  expect(result).toHaveTextContent(/^Channel test of 2025-06-02 /);
  expect(result).toHaveTextContent('Skipped channels have no cheap test or were not reached.');
});

it('leads to the channels that failed', async () => {
  const { location } = await open(answers(ChannelTestRunDocument, ended));
  fireEvent.click(await screen.findByRole('link', { name: 'Show failed' }));
  await waitFor(() => expect(location()).toBe('/channel?test=FAILED'));
});

it('names no failed channels where all passed', async () => {
  await open(answers(ChannelTestRunDocument, run({ endedAt: startedAt, passed: 40 })));
  await screen.findByText(/40 passed, 0 failed, 0 skipped\./);
  expect(screen.queryByRole('link', { name: 'Show failed' })).toBeNull();
  expect(screen.queryByText(/Skipped channels/)).toBeNull();
});

it('stays hidden once it was dismissed, until the next run', async () => {
  const first = await open(answers(ChannelTestRunDocument, ended));
  fireEvent.click(await screen.findByRole('button', { name: 'Hide the test result' }));
  expect(screen.queryByText(/Channel test of/)).toBeNull();
  first.unmount();
  const read = jest.fn(() => ({ data: ended }));
  const again = await open({ request: { query: ChannelTestRunDocument, variables: () => true }, result: read });
  await waitFor(() => expect(read).toHaveBeenCalled());
  expect(screen.queryByText(/Channel test of/)).toBeNull();
  again.unmount();
  const next = { ...ended.channelTestRun, startedAt: '2025-06-03T10:10:00.000Z' };
  await open(answers(ChannelTestRunDocument, { channelTestRun: next }));
  await screen.findByText(/Channel test of/);
});
