import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { session } from '../../lib/session.js';
import { answers, rowOf } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { openUsers } from '../../testing/userList.js';
import { userPage, userRow } from '../../testing/userRow.js';
import {
  BanUsersDocument,
  DeactivateUserDocument,
  EnableUsersDocument,
  SetUserGroupDocument,
  MatchingUsersDocument,
  UsersDocument,
} from './users.generated.js';
import { UserBulkActions } from './UserBulkActions.js';

beforeEach(() => signInAs());
afterAll(() => {
  session.end();
});

describe('selected users', () => {
  const people = answers(UsersDocument, userPage(userRow(7, 'ada'), userRow(8, 'bob'), userRow(9, 'eve')));
  /** A mutation that must be called with exactly these variables. */
  const writing = (query: object, variables: object, data: object) => ({
    request: { query, variables },
    result: jest.fn(() => ({ data })),
  });
  const select = async (...names: readonly string[]) => {
    for (const name of names) fireEvent.click((await rowOf(name)).getByRole('checkbox', { name: /Select row/ }));
  };

  it('are banned together in one request, after a question', async () => {
    const ban = writing(
      BanUsersDocument,
      { ids: [7, 9] },
      { banUsers: { __typename: 'BulkPayload', done: [7, 9], failed: [] } },
    );
    await openUsers('/user', people, ban);
    await select('ada', 'eve');
    await screen.findByText('2 selected');
    fireEvent.click(screen.getByRole('button', { name: 'Ban' }));
    const question = within(await screen.findByRole('alertdialog', { name: 'Ban 2 users?' }));
    expect(ban.result).not.toHaveBeenCalled();
    fireEvent.click(question.getByRole('button', { name: 'Ban' }));
    await screen.findByText('2 users changed');
    expect(ban.result).toHaveBeenCalledTimes(1);
    await screen.findByRole('search');
  });

  /** Enables ada and bob, of whom the server refuses bob. */
  const enableBoth = async (code: string, message: string, shown = message) => {
    const enable = writing(
      EnableUsersDocument,
      { ids: [7, 8] },
      { enableUsers: { __typename: 'BulkPayload', done: [7], failed: [{ id: 8, code, message }] } },
    );
    await openUsers('/user', people, enable);
    await select('ada', 'bob');
    fireEvent.click(await screen.findByRole('button', { name: 'Enable' }));
    const question = within(await screen.findByRole('alertdialog', { name: 'Enable 2 users?' }));
    fireEvent.click(question.getByRole('button', { name: 'Enable' }));
    await screen.findByText(`1 changed, 1 not. User 8: ${shown}`);
  };

  it('are enabled together; those that were refused stay selected, with the reason', async () => {
    const shown = 'You have no permission for this';
    await enableBoth('INSUFFICIENT_PRIVILEGES', 'No permission to update this user', shown);
    await screen.findByText('1 selected');
    // Rows behind the question are hidden until it has closed.
    expect(await (await rowOf('bob')).findByRole('checkbox', { name: /row/ })).toBeChecked();
    expect((await rowOf('ada')).getByRole('checkbox', { name: /row/ })).not.toBeChecked();
  });

  it('are no longer selected when they are gone', async () => {
    await enableBoth('NOT_FOUND', 'User 8 does not exist');
    await waitFor(() => expect(screen.queryByText(/selected/)).toBeNull());
  });

  it('are all that match the filters, also those of other pages, and are changed a hundred at a time', async () => {
    const ids = Array.from({ length: 130 }, (_, index) => 200 - index);
    const filter = { keyword: 'a', groups: null, roles: ['COMMON'] };
    const pageOfIds = (page: number) => ({
      request: { query: MatchingUsersDocument, variables: { page, pageSize: 100, filter } },
      result: jest.fn(() => ({
        data: {
          users: {
            __typename: 'UserPage',
            items: ids.slice(page * 100, page * 100 + 100).map((id) => ({ __typename: 'User', id })),
          },
        },
      })),
    });
    const banned = (part: number[]) =>
      writing(BanUsersDocument, { ids: part }, { banUsers: { __typename: 'BulkPayload', done: part, failed: [] } });
    const parts = [banned(ids.slice(0, 100)), banned(ids.slice(100))];
    const many = { users: { ...userPage(userRow(200, 'ada'), userRow(199, 'bob')).users, totalCount: 130 } };
    await openUsers('/user?keyword=a&role=COMMON', answers(UsersDocument, many), pageOfIds(0), pageOfIds(1), ...parts);
    await select('ada');
    fireEvent.click(await screen.findByRole('button', { name: 'Select all 130 that match' }));
    await screen.findByText('130 selected');
    expect(screen.queryByRole('button', { name: /that match/ })).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Ban' }));
    const question = within(await screen.findByRole('alertdialog', { name: 'Ban 130 users?' }));
    fireEvent.click(question.getByRole('button', { name: 'Ban' }));
    await screen.findByText('130 users changed');
    expect(parts.map(({ result }) => result.mock.calls.length)).toEqual([1, 1]);
  });

  it('say why not all that match could be selected', async () => {
    const many = { users: { ...userPage(userRow(200, 'ada')).users, totalCount: 20_000 } };
    const failing = {
      request: { query: MatchingUsersDocument, variables: () => true },
      result: { errors: [{ message: 'The database is away', extensions: { code: 'UPSTREAM' } }] },
    };
    await openUsers('/user', answers(UsersDocument, many), failing);
    await select('ada');
    fireEvent.click(await screen.findByRole('button', { name: 'Select the first 10,000 that match' }));
    await screen.findByText('The database is away');
    screen.getByText('1 selected');
  });

  it('are not selected after all once the selection was cleared', async () => {
    const many = { users: { ...userPage(userRow(200, 'ada')).users, totalCount: 130 } };
    const page = { users: { __typename: 'UserPage', items: [{ __typename: 'User', id: 9 }] } };
    const slow = {
      request: { query: MatchingUsersDocument, variables: () => true },
      result: jest.fn(() => ({ data: page })),
      delay: 300,
      maxUsageCount: 9,
    };
    await openUsers('/user', answers(UsersDocument, many), slow);
    await select('ada');
    fireEvent.click(await screen.findByRole('button', { name: 'Select all 130 that match' }));
    fireEvent.click(screen.getByRole('button', { name: 'Clear' }));
    await waitFor(() => expect(slow.result).toHaveBeenCalledTimes(1));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(screen.queryByText('1 selected')).toBeNull();
    // The next attempt counts.
    await select('ada');
    fireEvent.click(await screen.findByRole('button', { name: 'Select all 130 that match' }));
    await waitFor(() => expect(slow.result).toHaveBeenCalledTimes(2));
    await waitFor(() => expect(screen.getByRole('button', { name: 'Select all 130 that match' })).toBeEnabled());
    screen.getByText('1 selected');
  });

  it('cannot be changed again or cleared while a change of them runs', async () => {
    const move = {
      request: { query: SetUserGroupDocument, variables: () => true },
      result: { data: { setUserGroup: { __typename: 'BulkPayload', done: [8], failed: [] } } },
      delay: 300,
    };
    await openUsers('/user', people, move);
    await select('bob');
    fireEvent.click(await screen.findByRole('button', { name: 'Set group' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Set the group of 1 user' }));
    fireEvent.click(dialog.getByRole('button', { name: 'Set group' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    for (const name of ['Enable', 'Ban', 'Set group', 'Clear']) {
      expect(screen.getByRole('button', { name })).toBeDisabled();
    }
    await screen.findByText('1 user changed');
  });

  it('are moved to a group', async () => {
    const move = writing(
      SetUserGroupDocument,
      { ids: [8], group: 'vip' },
      { setUserGroup: { __typename: 'BulkPayload', done: [8], failed: [] } },
    );
    await openUsers('/user', people, move);
    await select('bob');
    fireEvent.click(await screen.findByRole('button', { name: 'Set group' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Set the group of 1 user' }));
    fireEvent.mouseDown(dialog.getByRole('combobox', { name: 'Group' }));
    fireEvent.click(await screen.findByRole('option', { name: 'vip' }));
    expect(move.result).not.toHaveBeenCalled();
    fireEvent.click(dialog.getByRole('button', { name: 'Set group' }));
    await screen.findByText('1 user changed');
    expect(move.result).toHaveBeenCalledTimes(1);
  });

  it('lose a user who is deleted from the menu', async () => {
    const gone = userRow(7, 'ada', { deletedAt: '2025-07-02T10:11:00.000Z' });
    const remove = writing(
      DeactivateUserDocument,
      { id: 7 },
      { deactivateUser: { __typename: 'Payload', user: gone } },
    );
    await openUsers('/user', people, remove);
    await select('ada', 'bob');
    fireEvent.click(screen.getByRole('button', { name: 'More actions for ada' }));
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }));
    const question = within(await screen.findByRole('alertdialog', { name: 'Delete user “ada”?' }));
    fireEvent.click(question.getByRole('button', { name: 'Delete' }));
    await screen.findByText('User “ada” deleted');
    await screen.findByText('1 selected');
  });

  it('cannot be chosen by readers of users', async () => {
    const reader = { id: 5, username: 'sup', displayName: 'Sup', role: 1, status: 1, group: 'default' };
    session.start({ ...reader, permissions: ['USERS_READ'] });
    await openUsers('/user', people);
    await rowOf('ada');
    expect(screen.queryByRole('checkbox', { name: /row/ })).toBeNull();
  });
});

it('changes users that are selected on several pages, a hundred at a time', async () => {
  const ids = Array.from({ length: 250 }, (_, index) => index + 1);
  const parts: number[][] = [];
  const mock = {
    request: { query: EnableUsersDocument, variables: () => true },
    maxUsageCount: 9,
    result: ({ ids: part }: { ids: number[] }) => {
      if (part.length > 100) return { errors: [{ message: 'At most 100 ids at a time' }] };
      parts.push(part);
      const failed = part.includes(101)
        ? [{ __typename: 'BulkFailure', id: 101, code: 'FORBIDDEN', message: 'not allowed' }]
        : [];
      const done = part.filter((id) => id !== 101);
      return { data: { enableUsers: { __typename: 'BulkPayload', done, failed } } };
    },
  };
  const onDone = jest.fn();
  const element = <UserBulkActions ids={ids} groups={['default']} onDone={onDone} />;
  await renderScreen({ routes: [{ path: '/', element }], mocks: [mock] as never });
  fireEvent.click(screen.getByRole('button', { name: 'Enable' }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Enable' }));
  await screen.findByText('249 changed, 1 not. User 101: not allowed');
  expect(parts.map((part) => [part[0], part.at(-1)])).toEqual([
    [1, 100],
    [101, 200],
    [201, 250],
  ]);
  expect(onDone).toHaveBeenCalledWith([101]);
});

it('keeps users selected that a lost connection left unchanged', async () => {
  const ids = Array.from({ length: 150 }, (_, index) => index + 1);
  const request = { query: EnableUsersDocument, variables: () => true };
  const done = ids.slice(0, 100);
  const mocks = [
    { request, result: { data: { enableUsers: { __typename: 'BulkPayload', done, failed: [] } } } },
    { request, error: new Error('connection lost') },
  ];
  const onDone = jest.fn();
  const element = <UserBulkActions ids={ids} groups={['default']} onDone={onDone} />;
  await renderScreen({ routes: [{ path: '/', element }], mocks: mocks as never });
  fireEvent.click(screen.getByRole('button', { name: 'Enable' }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Enable' }));
  await screen.findByText('100 changed, 50 not. User 101: Unable to connect to server');
  expect(onDone).toHaveBeenCalledWith(ids.slice(100));
});
