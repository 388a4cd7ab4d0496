import { fireEvent, screen, waitFor } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { NotificationTab, type MySetting } from './NotificationTab.js';
import { UpdateMySettingDocument } from './personal.generated.js';

const setting = { notifyType: 'EMAIL', quotaWarningThreshold: null } as MySetting;

it('keeps the threshold of the site for a user who chose none', async () => {
  const sent: unknown[] = [];
  const update = {
    request: { query: UpdateMySettingDocument, variables: (variables: unknown) => sent.push(variables) > 0 },
    result: { data: { updateMySetting: { __typename: 'UpdateMySettingPayload', setting: null } } },
  };
  const element = <NotificationTab setting={setting} onSaved={jest.fn()} />;
  await renderScreen({ routes: [{ path: '/', element }], mocks: [update] as never });
  fireEvent.change(screen.getByRole('textbox'), { target: { value: 'ada@example.com' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent).toEqual([{ input: { notifyType: 'EMAIL', webhookUrl: null, notificationEmail: 'ada@example.com' } }]);
});
