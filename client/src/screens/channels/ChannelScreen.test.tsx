import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { channelDetail } from '../../testing/channelDetail.js';
import { answers } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { AuditEntriesDocument, RestoreAuditEntryDocument } from '../../nouns/audit/audit.generated.js';
import { FailedAttemptsDocument, ObjectUsageDocument } from '../../nouns/objects/objects.generated.js';
import { ChannelKeyScreen } from './ChannelKeyScreen.js';
import { ChannelScreen } from './ChannelScreen.js';
import { ChannelPageDocument, ChannelTypesDocument } from './channels.generated.js';

const key = (position: number, ending: string) => ({
  __typename: 'ChannelKey',
  position,
  ending,
  status: 'USED',
  cooldowns: [],
});
const channel = { ...channelDetail, id: 25, name: 'Azure East', keys: [key(1, 'good'), key(2, 'bad2')] };
const attempt = {
  __typename: 'FailedAttempt',
  id: '9',
  at: '2026-11-27T09:50:15.000Z',
  requestId: '20261127095014762369594FYDwMLVP',
  channelId: 25,
  channelName: 'Azure East',
  keyEnding: 'bad2',
  model: 'gpt-4o',
  kind: 'REFUSED',
  status: 401,
  error: 'status 401: Incorrect API key provided',
  attempts: 1,
};
const mocks = [
  answers(ChannelPageDocument, {
    channel,
    channelHealth: { __typename: 'ChannelHealthList', rows: [] },
  }),
  answers(ChannelTypesDocument, { channelTypes: [] }),
  answers(FailedAttemptsDocument, {
    keyFailures: [{ __typename: 'KeyFailure', attempts: 46, last: attempt }],
    failedAttempts: [attempt],
  }),
];

const open = (path: string, ...more: object[]) =>
  renderScreen({
    path,
    routes: [
      { path: '/channel/:id', element: <ChannelScreen /> },
      { path: '/channel/:id/:tab', element: <ChannelScreen /> },
      { path: '/key/:id/:position', element: <ChannelKeyScreen /> },
    ],
    mocks: [...mocks, ...more] as never,
  });

it('names the key that fails, how often and why, with links to the key and the request', async () => {
  signInAs();
  await open('/channel/25/errors');
  const byKey = within(await screen.findByRole('region', { name: 'By key, last 24 hours' }));
  byKey.getByText('46 times');
  byKey.getByText('status 401: Incorrect API key provided');
  expect(byKey.getByRole('link', { name: '…bad2' })).toHaveAttribute('href', '/key/25/2');
  const attempts = within(screen.getByRole('region', { name: 'Last failed attempts' }));
  expect(attempts.getByRole('link', { name: 'Open request' })).toHaveAttribute(
    'href',
    '/request/20261127095014762369594FYDwMLVP',
  );
});

it('does not show a failing key as healthy', async () => {
  signInAs();
  await open('/key/25/2');
  await screen.findByRole('heading', { level: 1, name: 'Key …bad2' });
  await screen.findByText('Failed 46 times, 24 h');
  expect(screen.getByText('In use').closest('.tone')).not.toHaveClass('tone-green');
});

it('shows what one of several keys has served, charged and cost', async () => {
  const metrics = (calls: number, marginUsd: number) => ({
    __typename: 'UsageMetrics',
    quota: calls * 50_000,
    calls,
    failedCalls: 0,
    errorRate: 0,
    latencyMs: 900,
    cost: { __typename: 'UsageCost', usd: calls / 10, upstreamUsd: 0, marginUsd, knownCalls: calls - 1 },
  });
  const row = (time: string, calls: number) => ({ __typename: 'UsageRow', time, metrics: metrics(calls, 0) });
  const items = [row('2026-11-26T00:00:00.000Z', 30), row('2026-11-27T00:00:00.000Z', 12)];
  const asked = jest.fn();
  signInAs();
  await open('/key/25/2', {
    request: { query: ObjectUsageDocument, variables: ({ filter }: { filter: unknown }) => (asked(filter), true) },
    result: { data: { usage: { __typename: 'UsagePage', items, total: metrics(42, 1.5) } } },
    maxUsageCount: Infinity,
  });
  await screen.findByText('$4.20');
  expect(asked).toHaveBeenLastCalledWith({ channelIds: [25], upstreamKeys: ['bad2'] });
  const figures = screen.getByLabelText('Figures of this range').querySelectorAll('dd');
  expect([...figures].map(({ textContent }) => textContent)).toEqual([
    '42',
    expect.stringMatching(/^46.*Refused 401$/),
    '$4.20',
    '$1.50cost known for 41 of 42 calls',
  ]);
  expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual(['Errors', 'Cost']);
});

it('undoes a change, and says that secrets are not restored', async () => {
  signInAs();
  const restored = jest.fn();
  const entry = {
    __typename: 'AuditEntry',
    id: '77',
    createdAt: '2026-11-27T09:50:09.000Z',
    actorId: 1,
    actorName: 'root',
    ip: null,
    action: 'update',
    subject: 'CHANNEL',
    subjectId: '25',
    changes: [{ __typename: 'AuditFieldChange', field: 'weight', before: '2', after: '4' }],
  };
  await open(
    '/channel/25/changes',
    answers(AuditEntriesDocument, { auditEntries: { __typename: 'AuditEntryPage', totalCount: 1, items: [entry] } }),
    {
      request: { query: RestoreAuditEntryDocument, variables: (given: unknown) => (restored(given), true) },
      result: {
        data: { restoreAuditEntry: { __typename: 'RestoreAuditEntryPayload', restored: ['weight'], kept: [] } },
      },
    },
  );
  await screen.findByText(/so they are never restored/);
  fireEvent.click(screen.getByRole('button', { name: 'Restore previous value' }));
  const question = within(await screen.findByRole('alertdialog'));
  fireEvent.click(question.getByRole('button', { name: 'Restore previous value' }));
  await waitFor(() => expect(restored).toHaveBeenCalledWith({ id: '77' }));
});
