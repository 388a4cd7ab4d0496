import { fireEvent, screen, waitFor } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { NotificationTab, type MySetting } from './NotificationTab.js';
import { UpdateMySettingDocument } from './personal.generated.js';

const sent: unknown[] = [];
beforeEach(() => sent.splice(0));
const setting = { notifyType: 'EMAIL', quotaWarningThreshold: null } as MySetting;

const open = async (stored = setting) => {
  const update = {
    request: { query: UpdateMySettingDocument, variables: (variables: unknown) => sent.push(variables) > 0 },
    result: { data: { updateMySetting: { __typename: 'UpdateMySettingPayload', setting: null } } },
    maxUsageCount: 9,
  };
  const element = <NotificationTab setting={stored} onSaved={jest.fn()} />;
  await renderScreen({ routes: [{ path: '/', element }], mocks: [update] as never });
};
const choose = async (option: string, field = /^Notif/) => {
  fireEvent.mouseDown(screen.getByRole('combobox', { name: field }));
  fireEvent.click(await screen.findByRole('option', { name: option }));
};
const threshold = /^Warn when/;
const type = (name: RegExp, value: string) => fireEvent.change(screen.getByLabelText(name), { target: { value } });
const save = async (times = 1) => {
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent).toHaveLength(times));
  await waitFor(() => expect(screen.getByRole('button', { name: 'Save' })).toBeEnabled());
};

it('keeps the threshold of the site for a user who chose none', async () => {
  await open();
  type(/email/i, 'ada@example.com');
  await save();
  expect(sent).toEqual([
    { input: { notifyType: 'EMAIL', quotaWarningThreshold: null, notificationEmail: 'ada@example.com' } },
  ]);
});

it('shows no amount to a user who chose none, and saves every one that is chosen', async () => {
  await open();
  expect(screen.getByRole('combobox', { name: threshold })).toHaveTextContent('As the site sets it');
  await choose('$1.00', threshold);
  await save();
  expect(sent).toEqual([{ input: expect.objectContaining({ quotaWarningThreshold: 500_000 }) as unknown }]);
});

it('saves the choice that was stored at first, after another one was saved', async () => {
  await open({ ...setting, quotaWarningThreshold: 500_000 });
  await choose('$2.00', threshold);
  await save();
  await choose('$1.00', threshold);
  await save(2);
  expect(sent[1]).toEqual({ input: expect.objectContaining({ quotaWarningThreshold: 500_000 }) as unknown });
});

it('sends nothing that was typed for a method that is not chosen', async () => {
  await open();
  await choose('Webhook');
  type(/^Webhook address|^Webhook URL/i, 'nowhere');
  type(/secret/i, 'typed');
  await choose('Email');
  await save();
  expect(sent).toEqual([{ input: { notifyType: 'EMAIL', quotaWarningThreshold: null, notificationEmail: null } }]);
});

it('leaves the end of the session to the sign-in page', async () => {
  const message = 'No permission: not logged in';
  const ended = {
    request: { query: UpdateMySettingDocument, variables: (variables: unknown) => sent.push(variables) > 0 },
    result: { errors: [{ message, extensions: { code: 'NOT_SIGNED_IN' } }] },
  };
  const element = <NotificationTab setting={setting} onSaved={jest.fn()} />;
  await renderScreen({ routes: [{ path: '/', element }], mocks: [ended] as never });
  await save();
  await waitFor(() => expect(screen.getByRole('button', { name: 'Save' })).toBeEnabled());
  expect(screen.queryByText(/not logged in|signed in/i)).toBeNull();
});
