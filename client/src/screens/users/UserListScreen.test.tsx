import { fireEvent, screen } from '@testing-library/react';
import { session } from '../../lib/session.js';
import { answers, failsOnce, headers, rowOf, toneOf } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { UserGroupsDocument, UsersDocument, type UserRowFragment } from './users.generated.js';
import { UserListScreen } from './UserListScreen.js';

const user = (id: number, username: string, more: Partial<UserRowFragment> = {}): UserRowFragment => ({
  ...{ __typename: 'User' },
  id,
  username,
  displayName: username,
  role: 'COMMON',
  status: 'ENABLED',
  email: null,
  group: 'default',
  quota: 1_000_000,
  usedQuota: 250_000,
  requestCount: 12_345,
  customRole: null,
  hasSecondFactor: false,
  invite: { ...{ __typename: 'Invite' }, count: 3 },
  createdAt: '2025-06-02T10:11:00.000Z',
  deletedAt: null,
  ...more,
});
const list = (...items: readonly UserRowFragment[]) => ({
  users: { __typename: 'UserPage', totalCount: items.length, items },
});
const groups = answers(UserGroupsDocument, { groups: ['default', 'vip'] });
const open = (path: string, ...mocks: readonly object[]) =>
  renderScreen({
    path,
    routes: [{ path: '/user', element: <UserListScreen /> }],
    mocks: [groups, ...mocks] as never,
  });

beforeEach(() => {
  session.start({ id: 1, username: 'root', displayName: 'Root', role: 100, status: 1, group: 'default' });
});
afterAll(() => {
  session.end();
});

it('has the columns that were asked for, with amounts in dollars and full counts', async () => {
  await open('/user', answers(UsersDocument, list(user(7, 'ada', { displayName: 'Ada Lovelace' }))));
  const row = await rowOf('ada');
  expect(await headers()).toEqual(['ID', 'Username', 'Group', 'Role', 'Status', 'Quota left', 'Requests', 'Invites']);
  for (const text of ['7', 'Ada Lovelace', '$2.00', '$0.50 used', '12,345', '3']) row.getByText(text);
  expect(row.getByRole('link', { name: 'ada' })).toHaveAttribute('href', '/user/edit/7');
});

it('says who somebody is and how he stands in words and tones', async () => {
  const gone = user(16, 'left', { deletedAt: '2025-07-02T10:11:00.000Z' });
  await open(
    '/user',
    answers(
      UsersDocument,
      list(
        user(11, 'one', { role: 'COMMON', status: 'ENABLED' }),
        user(12, 'two', { role: 'ADMIN', status: 'BANNED' }),
        user(13, 'three', { role: 'ROOT', status: 'OTHER' }),
        user(14, 'four', { role: 'GUEST', status: 'BANNED' }),
        gone,
      ),
    ),
  );
  for (const [name, role, roleTone, status, statusTone] of [
    ['one', 'Common', 'outline', 'Activated', 'green'],
    ['two', 'Admin', 'blue', 'Banned', 'red'],
    ['three', 'Super admin', 'violet', 'Other', 'amber'],
    ['four', 'Unknown identity', 'red', 'Banned', 'red'],
    ['left', 'Common', 'outline', 'Deactivated', 'grey'],
  ] as const) {
    const row = await rowOf(name);
    expect([name, toneOf(row.getByText(role)), toneOf(row.getByText(status))]).toEqual([name, roleTone, statusTone]);
  }
  // Deleted users have no actions; users of the same or a higher role cannot be managed.
  expect((await rowOf('left')).queryByRole('switch')).toBeNull();
  expect((await rowOf('three')).getByRole('switch')).toBeDisabled();
  expect((await rowOf('two')).getByRole('switch', { name: 'Enable user two' })).not.toBeChecked();
});

it('tells that nothing matches, and that nobody is there', async () => {
  const { unmount } = await open('/user?keyword=zzz', answers(UsersDocument, list()));
  await screen.findByText('Nothing matches these filters');
  unmount();
  await open('/user', answers(UsersDocument, list()));
  await screen.findByRole('heading', { name: 'No users' });
});

it('says in place what failed, and tries again', async () => {
  await open('/user', ...failsOnce(UsersDocument, 'The database is away', list(user(7, 'ada'))));
  expect(await screen.findByRole('alert')).toHaveTextContent('The database is away');
  fireEvent.click(screen.getByRole('button', { name: 'Retry' }));
  await rowOf('ada');
});

it('filters by status and role, and leads to what a user did and paid', async () => {
  const asked: unknown[] = [];
  const all = {
    request: {
      query: UsersDocument,
      variables: ({ filter }: { filter: unknown }) => {
        asked.push(filter);
        return true;
      },
    },
    result: { data: list(user(7, 'ada')) },
    maxUsageCount: 9,
  };
  const one = await open('/user?status=BANNED&role=ADMIN', all);
  await rowOf('ada');
  expect(asked.at(-1)).toEqual({
    ...{ keyword: null, groups: null, roles: ['ADMIN'], isDeleted: false, statuses: ['BANNED'] },
  });
  one.unmount();
  const two = await open('/user?status=DEACTIVATED', all);
  await rowOf('ada');
  expect(asked.at(-1)).toEqual({ keyword: null, groups: null, roles: null, isDeleted: true });
  fireEvent.click(screen.getByRole('button', { name: 'More actions for ada' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Payments' }));
  expect(two.location()).toBe('/payment?user=7');
});
