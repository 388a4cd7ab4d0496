import { fireEvent, screen, waitFor } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { NotificationTab, type MySetting } from './NotificationTab.js';
import { UpdateMySettingDocument } from './personal.generated.js';

const sent: unknown[] = [];
beforeEach(() => sent.splice(0));
const setting = { notifyType: 'EMAIL', quotaWarningThreshold: null } as MySetting;

const open = async () => {
  const update = {
    request: { query: UpdateMySettingDocument, variables: (variables: unknown) => sent.push(variables) > 0 },
    result: { data: { updateMySetting: { __typename: 'UpdateMySettingPayload', setting: null } } },
  };
  const element = <NotificationTab setting={setting} onSaved={jest.fn()} />;
  await renderScreen({ routes: [{ path: '/', element }], mocks: [update] as never });
};
const choose = async (method: string) => {
  fireEvent.mouseDown(screen.getByRole('combobox', { name: /^Notif/ }));
  fireEvent.click(await screen.findByRole('option', { name: method }));
};
const type = (name: RegExp, value: string) => fireEvent.change(screen.getByLabelText(name), { target: { value } });
const save = async () => {
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent).toHaveLength(1));
};

it('keeps the threshold of the site for a user who chose none', async () => {
  await open();
  type(/email/i, 'ada@example.com');
  await save();
  expect(sent).toEqual([{ input: { notifyType: 'EMAIL', notificationEmail: 'ada@example.com' } }]);
});

it('sends nothing that was typed for a method that is not chosen', async () => {
  await open();
  await choose('Webhook');
  type(/^Webhook address|^Webhook URL/i, 'nowhere');
  type(/secret/i, 'typed');
  await choose('Email');
  await save();
  expect(sent).toEqual([{ input: { notifyType: 'EMAIL', notificationEmail: null } }]);
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
