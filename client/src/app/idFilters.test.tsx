import { screen } from '@testing-library/react';
import { renderScreen } from '../testing/renderScreen.js';
import { signInAs } from '../testing/signInAs.js';
import { AuditList } from '../screens/audit/AuditList.js';
import { LogListScreen } from '../screens/logs/LogListScreen.js';
import { PaymentListScreen } from '../screens/payments/PaymentListScreen.js';
import { AllStatementListScreen } from '../screens/statements/AllStatementListScreen.js';
import { CreativeTaskListScreen } from '../screens/tasks/CreativeTaskListScreen.js';
import { DrawingListScreen } from '../screens/tasks/DrawingListScreen.js';
import { UserListScreen } from '../screens/users/UserListScreen.js';

jest.setTimeout(60_000);

it.each([
  ['calls', 'channelId', <LogListScreen key="" />],
  ['drawings', 'channelId', <DrawingListScreen key="" />],
  ['tasks', 'channelId', <CreativeTaskListScreen key="" />],
  ['users', 'inviter', <UserListScreen key="" />],
  ['payments', 'user', <PaymentListScreen key="" />],
  ['changes', 'actor', <AuditList key="" prices={false} />],
  ['statements', 'account', <AllStatementListScreen key="" />],
])('shows the filter of %s by %s only with a number, as the list is filtered', async (_, name, list) => {
  signInAs();
  const filters = async (value: string) => {
    const { unmount } = await renderScreen({
      path: `/list?${name}=${value}`,
      routes: [{ path: '/list', element: list }],
    });
    await screen.findByRole('button', { name: 'Add filter' });
    const count = screen.queryAllByRole('button', { name: new RegExp(`: #?${value}$`) }).length;
    unmount();
    return count;
  };
  expect([await filters('OpenAI'), await filters('12x'), await filters('12')]).toEqual([0, 0, 1]);
});
