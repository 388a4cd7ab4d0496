import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { BellDocument, MarkAlertsSeenDocument, NoticeCenterDocument } from '../../../nouns/alerts/alerts.generated.js';
import { reader } from '../../../lib/reader.js';
import { session } from '../../../lib/session.js';
import { renderScreen } from '../../../testing/renderScreen.js';
import { NoticeBell } from './NoticeBell.js';

jest.setTimeout(60_000);
beforeEach(() => localStorage.clear());
afterEach(() => session.end());

const signedIn = (role: number) =>
  session.start({ id: 1, username: 'root', displayName: 'root', role, group: 'default' } as never);

const alert = (id: number, more: object = {}) => ({
  __typename: 'Alert',
  id,
  kind: 'ERROR_RATE',
  channelId: 7,
  channelName: 'OpenAI',
  reason: null,
  balance: null,
  threshold: 50,
  calls: 40,
  failedCalls: 30,
  models: null,
  endpoints: null,
  count: null,
  endedAt: null,
  openedAt: '2026-11-22T08:00:00.000Z',
  failedMessages: [],
  ...more,
});
const setting = { __typename: 'UserSetting', displayCurrency: null, timeZone: null };
const me = (role: string, permissions: string[]) => ({ __typename: 'User', id: 1, role, permissions, setting });
const page = (items: object[]) => ({ __typename: 'AlertPage', items });

it('shows admins how many alerts are new, lists them, and marks them as seen', async () => {
  signedIn(100);
  const seen: unknown[] = [];
  const mocks = [
    {
      request: { query: BellDocument, variables: { isAdmin: true, signedIn: true } },
      result: {
        data: { notice: '', me: me('ROOT', []), alerts: { __typename: 'AlertPage', unseenCount: 2 } },
      },
      maxUsageCount: 9,
    },
    {
      request: { query: NoticeCenterDocument, variables: { isAdmin: true } },
      result: {
        data: {
          notice: '',
          open: page([
            alert(9),
            alert(8, {
              kind: 'RECONCILE_DRIFT',
              channelId: null,
              channelName: null,
              endpoints: null,
              count: 3,
              failedMessages: [{ __typename: 'FailedAlertMessage', target: 'TELEGRAM', error: 'status 403' }],
            }),
          ]),
          ended: page([
            alert(7, { kind: 'CHANNEL_DISABLED', reason: 'invalid key', endedAt: '2026-11-22T07:30:00.000Z' }),
          ]),
        },
      },
    },
    {
      request: {
        query: MarkAlertsSeenDocument,
        variables: (variables: unknown) => {
          seen.push(variables);
          return true;
        },
      },
      result: { data: { markAlertsSeen: { __typename: 'MarkAlertsSeenPayload', unseenCount: 0 } } },
    },
  ];
  await renderScreen({ routes: [{ path: '/', element: <NoticeBell /> }], mocks: mocks as never });
  fireEvent.click(await screen.findByRole('button', { name: 'Notifications, 2 new alerts' }));
  const center = within(await screen.findByRole('dialog', { name: 'Notifications' }));
  await center.findByText('30 of 40 calls failed within 15 minutes');
  expect(center.getAllByRole('link', { name: 'OpenAI (#7)' }).map((link) => link.getAttribute('href'))).toEqual([
    '/log?type=ERROR&channelId=7',
    '/channel/7',
  ]);
  center.getByText('3 inconsistent accounts. Run npm run reconcile.');
  center.getByText('Not sent by Telegram: status 403');
  center.getByText('invalid key');
  await waitFor(() => {
    expect(seen).toEqual([{ until: 9 }]);
  });
});

it('has no number left once the alerts were seen', async () => {
  signedIn(100);
  const withCount = (unseenCount: number, maxUsageCount: number) => ({
    request: { query: BellDocument, variables: { isAdmin: true, signedIn: true } },
    result: { data: { notice: '', me: me('ROOT', []), alerts: { __typename: 'AlertPage', unseenCount } } },
    maxUsageCount,
  });
  const center = {
    request: { query: NoticeCenterDocument, variables: { isAdmin: true } },
    result: { data: { notice: '', open: page([]), ended: page([]) } },
  };
  const mocks = [withCount(2, 1), withCount(0, 9), center];
  await renderScreen({ routes: [{ path: '/', element: <NoticeBell /> }], mocks: mocks as never });
  fireEvent.click(await screen.findByRole('button', { name: 'Notifications, 2 new alerts' }));
  const dialog = await screen.findByRole('dialog', { name: 'Notifications' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Close' }));
  expect((await screen.findByRole('button', { name: 'Notifications' })).textContent).toBe('');
});

it('applies the currency and the zone that the account has by now', async () => {
  signedIn(1);
  const chosen = { ...setting, displayCurrency: 'LOCAL', timeZone: 'America/New_York' };
  const mocks = [
    {
      request: { query: BellDocument, variables: { isAdmin: false, signedIn: true } },
      result: { data: { notice: '', me: { ...me('COMMON', []), setting: chosen } } },
    },
  ];
  await renderScreen({ routes: [{ path: '/', element: <NoticeBell /> }], mocks: mocks as never });
  await waitFor(() => {
    expect(reader.get()).toMatchObject({ currency: 'LOCAL', timeZone: 'America/New_York' });
  });
});

it('shows users the notice, and a dot until they have read it', async () => {
  signedIn(1);
  const mocks = [
    {
      request: { query: BellDocument, variables: { isAdmin: false, signedIn: true } },
      result: { data: { notice: 'Maintenance on Sunday', me: me('COMMON', []) } },
      maxUsageCount: 9,
    },
    {
      request: { query: NoticeCenterDocument, variables: { isAdmin: false } },
      result: { data: { notice: 'Maintenance on Sunday' } },
    },
  ];
  await renderScreen({ routes: [{ path: '/', element: <NoticeBell /> }], mocks: mocks as never });
  await waitFor(() => {
    expect(document.querySelector('.MuiBadge-dot:not(.MuiBadge-invisible)')).not.toBeNull();
  });
  fireEvent.click(screen.getByRole('button', { name: 'Notifications' }));
  await screen.findByText('Maintenance on Sunday');
  expect(screen.queryByText('Open alerts')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Close' }));
  await waitFor(() => {
    expect(document.querySelector('.MuiBadge-dot:not(.MuiBadge-invisible)')).toBeNull();
  });
});

it('learns what the custom role of the user grants, and shows its alerts', async () => {
  signedIn(1);
  const mocks = [
    {
      request: { query: BellDocument, variables: { isAdmin: false, signedIn: true } },
      result: { data: { notice: '', me: me('COMMON', ['ALERTS', 'LOGS_READ']) } },
    },
    {
      request: { query: BellDocument, variables: { isAdmin: true, signedIn: true } },
      result: {
        data: {
          notice: '',
          me: me('COMMON', ['ALERTS', 'LOGS_READ']),
          alerts: { __typename: 'AlertPage', unseenCount: 3 },
        },
      },
      maxUsageCount: 9,
    },
  ];
  await renderScreen({ routes: [{ path: '/', element: <NoticeBell /> }], mocks: mocks as never });
  await screen.findByRole('button', { name: 'Notifications, 3 new alerts' });
  expect(session.get()?.permissions).toEqual(['ALERTS', 'LOGS_READ']);
});
