import { UserListScreen } from '../screens/users/UserListScreen.js';
import { UserGroupsDocument } from '../screens/users/users.generated.js';
import { answers } from './lists.js';
import { renderScreen } from './renderScreen.js';

const groups = answers(UserGroupsDocument, { groups: ['default', 'vip'] });

/** Opens the list of users at a path. */
export const openUsers = (path: string, ...mocks: readonly object[]) =>
  renderScreen({
    path,
    routes: [
      { path: '/user', element: <UserListScreen /> },
      { path: '/payment', element: <p>payments</p> },
    ],
    mocks: [groups, ...mocks] as never,
  });
