import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { session } from '../../lib/session.js';
import { answers, failsOnce, headers, rowOf, toneOf } from '../../testing/lists.js';
import { signInAs } from '../../testing/signInAs.js';
import { openUsers } from '../../testing/userList.js';
import { userPage, userRow } from '../../testing/userRow.js';
import { UserTokensDocument, UsersDocument } from './users.generated.js';

beforeEach(() => signInAs());
afterAll(() => {
  session.end();
});

it('has the columns that were asked for, with amounts in dollars and full counts', async () => {
  await openUsers('/user', answers(UsersDocument, userPage(userRow(7, 'ada', { displayName: 'Ada Lovelace' }))));
  const row = await rowOf('ada');
  expect(await headers()).toEqual(['ID', 'Username', 'Group', 'Role', 'Status', 'Quota left', 'Requests', 'Invites']);
  for (const text of ['7', 'Ada Lovelace', '$2.00', '$0.50 used', '12,345', '3']) row.getByText(text);
  expect(row.getByRole('link', { name: 'ada' })).toHaveAttribute('href', '/user/7');
});

it('says who somebody is and how he stands in words and tones', async () => {
  const gone = userRow(16, 'left', { deletedAt: '2025-07-02T10:11:00.000Z' });
  await openUsers(
    '/user',
    answers(
      UsersDocument,
      userPage(
        userRow(11, 'one', { role: 'COMMON', status: 'ENABLED' }),
        userRow(12, 'two', { role: 'ADMIN', status: 'BANNED' }),
        userRow(13, 'three', { role: 'ROOT', status: 'OTHER' }),
        userRow(14, 'four', { role: 'GUEST', status: 'BANNED' }),
        userRow(17, 'acme', { kind: 'ORGANISATION' }),
        gone,
      ),
    ),
  );
  for (const [name, role, roleTone, status, statusTone] of [
    ['one', 'Common', 'outline', 'Activated', 'green'],
    ['two', 'Admin', 'blue', 'Banned', 'red'],
    ['three', 'Super admin', 'violet', 'Other', 'amber'],
    ['four', 'Unknown identity', 'red', 'Banned', 'red'],
    ['acme', 'Organisation', 'outline', 'Activated', 'green'],
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
  const { unmount } = await openUsers('/user?keyword=zzz', answers(UsersDocument, userPage()));
  await screen.findByText('Nothing matches these filters');
  unmount();
  await openUsers('/user', answers(UsersDocument, userPage()));
  await screen.findByRole('heading', { name: 'No users' });
});

it('says in place what failed, and tries again', async () => {
  await openUsers('/user', ...failsOnce(UsersDocument, 'The database is away', userPage(userRow(7, 'ada'))));
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
    result: { data: userPage(userRow(7, 'ada')) },
    maxUsageCount: 9,
  };
  const one = await openUsers('/user?status=BANNED&role=ADMIN', all);
  await rowOf('ada');
  expect(asked.at(-1)).toEqual({
    keyword: null,
    groups: null,
    roles: ['ADMIN'],
    isDeleted: false,
    statuses: ['BANNED'],
  });
  one.unmount();
  const two = await openUsers('/user?status=DEACTIVATED', all);
  await rowOf('ada');
  expect(asked.at(-1)).toEqual({ keyword: null, groups: null, roles: null, isDeleted: true });
  fireEvent.click(screen.getByRole('button', { name: 'More actions for ada' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Payments' }));
  expect(two.location()).toBe('/payment?user=7');
});

it('keeps filter and page while the tokens of a user are shown', async () => {
  const tokens = answers(UserTokensDocument, {
    user: { __typename: 'User', id: 7, username: 'ada' },
    tokens: { __typename: 'TokenPage', totalCount: 0, items: [] },
  });
  const users = { users: { __typename: 'UserPage', totalCount: 30, items: [userRow(7, 'ada')] } };
  const { location } = await openUsers('/user?role=ADMIN&page=2', answers(UsersDocument, users), tokens);
  await rowOf('ada');
  fireEvent.click(screen.getByRole('button', { name: 'More actions for ada' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'API tokens' }));
  const drawer = within(await screen.findByRole('dialog', { name: /ada/ }));
  expect(location()).toBe('/user?role=ADMIN&page=2&tokens=7');
  fireEvent.click(drawer.getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(location()).toBe('/user?role=ADMIN&page=2'));
});

it('searches for a pasted name without the spaces around it', async () => {
  const { location } = await openUsers('/user', answers(UsersDocument, userPage(userRow(7, 'ada'))));
  await rowOf('ada');
  fireEvent.change(screen.getByPlaceholderText('ID, name, email or external ID'), { target: { value: ' ada ' } });
  fireEvent.submit(screen.getByRole('search'));
  await waitFor(() => expect(location()).toBe('/user?keyword=ada'));
});

it('finds organisations, and the user of an external id', async () => {
  const asked: unknown[] = [];
  const found = {
    request: {
      query: UsersDocument,
      variables: ({ filter }: { filter: unknown }) => {
        asked.push(filter);
        return true;
      },
    },
    result: { data: userPage(userRow(7, 'ada')) },
    maxUsageCount: 9,
  };
  await openUsers('/user?kind=ORGANISATION&externalId=C-42', found);
  await rowOf('ada');
  expect(asked).toContainEqual(expect.objectContaining({ kinds: ['ORGANISATION'], externalIds: ['C-42'] }));
  screen.getByRole('button', { name: 'Kind: Organisation' });
  screen.getByRole('button', { name: 'External ID: C-42' });
});

it.each([
  ['another admin, for an admin', 10, userRow(8, 'peer', { role: 'ADMIN' }), false],
  ['the admin itself', 10, userRow(1, 'peer', { role: 'ADMIN' }), false],
  ['a common user, for an admin', 10, userRow(8, 'peer'), true],
  ['a deactivated user, for root', 100, userRow(8, 'peer', { deletedAt: '2025-07-02T10:11:00.000Z' }), false],
  ['root itself', 100, userRow(1, 'peer', { role: 'ROOT' }), true],
])('opens only users that the server shows: %s', async (_, role, row, opens) => {
  session.start({ id: 1, username: 'root', displayName: 'Root', role, status: 1, group: 'default' });
  const { location } = await openUsers('/user', answers(UsersDocument, userPage(row)));
  const cells = await rowOf('peer');
  expect(cells.queryByRole('link', { name: 'peer' }) !== null).toBe(opens);
  if (!row.deletedAt) {
    fireEvent.click(cells.getByRole('button', { name: /^More actions for/ }));
    const edit = await screen.findByRole('menuitem', { name: 'Edit' });
    expect(edit.getAttribute('aria-disabled') !== 'true').toBe(opens);
    fireEvent.keyDown(edit, { key: 'Escape' });
  }
  if (opens) return;
  fireEvent.click(cells.getByText(row.role === 'COMMON' ? 'Common' : 'Admin'));
  expect(location()).toBe('/user');
});
