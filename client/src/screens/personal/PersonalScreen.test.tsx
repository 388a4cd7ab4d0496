import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { siteStatus } from '../../lib/status.js';
import { PersonalDocument, UpdateMySettingDocument } from './personal.generated.js';
import { PersonalScreen } from './PersonalScreen.js';

const me = {
  __typename: 'User',
  id: 7,
  username: 'ada',
  displayName: 'Ada',
  email: null,
  role: 'COMMON',
  group: 'default',
  quota: 500_000,
  usedQuota: 0,
  requestCount: 0,
  identities: [],
  invite: { __typename: 'Invite', count: 0, quota: 0, totalQuota: 0 },
};
const mySetting = {
  __typename: 'UserSetting',
  notifyType: 'EMAIL',
  quotaWarningThreshold: null,
  webhookUrl: null,
  hasWebhookSecret: false,
  notificationEmail: null,
  acceptsUnpricedModels: false,
  recordsAddresses: false,
  displayCurrency: null,
  timeZone: null,
};
const personal = {
  request: { query: PersonalDocument },
  result: {
    data: { me, myModels: [], inviteCode: 'abc123', canCheckIn: false, status: { checkInEnabled: false }, mySetting },
  },
  maxUsageCount: 9,
};

const show = (tab: string) => fireEvent.click(screen.getByRole('tab', { name: tab }));

it('keeps what was typed in a tab while another one is shown', async () => {
  signInAs();
  await renderScreen({
    path: '/personal',
    routes: [{ path: '/personal', element: <PersonalScreen /> }],
    mocks: [personal] as never,
  });
  const password = await screen.findByLabelText('New password');
  fireEvent.change(password, { target: { value: 'a new password' } });
  show('Notifications');
  const address = await screen.findByRole('textbox', { name: /^Notification email/i });
  fireEvent.change(address, { target: { value: 'ada@example.com' } });
  expect(password).not.toBeVisible();
  show('Account');
  await waitFor(() => expect(screen.getByLabelText('New password')).toBeVisible());
  expect(screen.getByLabelText('New password')).toHaveValue('a new password');
  expect(address).not.toBeVisible();
  show('Notifications');
  await waitFor(() => expect(screen.getByRole('textbox', { name: /^Notification email/i })).toBeVisible());
  expect(screen.getByRole('textbox', { name: /^Notification email/i })).toHaveValue('ada@example.com');
});

it('has addresses recorded in the log when the user turns it on', async () => {
  signInAs();
  const saved = jest.fn(() => ({
    data: { updateMySetting: { __typename: 'SettingPayload', setting: { ...mySetting, recordsAddresses: true } } },
  }));
  const update = {
    request: { query: UpdateMySettingDocument, variables: { input: { recordsAddresses: true } } },
    result: saved,
  };
  await renderScreen({
    path: '/personal',
    routes: [{ path: '/personal', element: <PersonalScreen /> }],
    mocks: [personal, update] as never,
  });
  const choice = await screen.findByRole('switch', { name: 'Record addresses in the log' });
  expect(choice).not.toBeChecked();
  fireEvent.click(choice);
  const form = choice.closest('form');
  if (form) fireEvent.submit(form);
  await waitFor(() => expect(saved).toHaveBeenCalledTimes(1));
});

it('lists the identities that the site offers, and those that are bound, and no others', async () => {
  signInAs();
  siteStatus.set({ ...siteStatus.get(), githubOauth: true });
  const bound = { ...me, identities: [{ __typename: 'Identity', provider: 'TELEGRAM', subject: '777' }] };
  await renderScreen({
    path: '/personal',
    routes: [{ path: '/personal', element: <PersonalScreen /> }],
    mocks: [{ ...personal, result: { data: { ...personal.result.data, me: bound } } }] as never,
  });
  await screen.findByRole('button', { name: /GitHub/ });
  expect(screen.getByText('Telegram')).toBeInTheDocument();
  for (const name of ['OIDC', 'Linux DO', 'WeChat']) expect(screen.queryByText(name)).toBeNull();
  expect(screen.queryByText('Not bound')).toBeNull();
  act(() => siteStatus.set({ ...siteStatus.get(), githubOauth: false }));
});
