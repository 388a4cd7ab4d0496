import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { useState } from 'react';
import { answers } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { UserEditor } from './UserEditor.js';
import {
  RoleChoicesDocument,
  UpdateUserDocument,
  type UpdateUserMutationVariables,
  UserDocument,
  UserGroupsDocument,
} from './users.generated.js';

const viewer = { id: 1, username: 'root', displayName: 'Root', role: 100, status: 1, group: 'default' };
const inGroup = (group: string, role = 'ADMIN', more: object = {}) => ({
  request: { query: UserDocument, variables: { id: 7 } },
  result: {
    data: {
      user: {
        __typename: 'User',
        id: 7,
        username: 'ada',
        displayName: 'Ada',
        role,
        status: 'ENABLED',
        email: null,
        group,
        quota: 0,
        usedQuota: 0,
        requestCount: 0,
        customRole: null,
        kind: 'PERSON',
        externalId: null,
        hasSecondFactor: false,
        invite: { __typename: 'Invite', count: 0 },
        createdAt: '2025-06-02T10:11:00.000Z',
        deletedAt: null,
        identities: [],
        ...more,
      },
    },
  },
});

function Page() {
  const [opened, setOpened] = useState(0);
  const editor = { viewer, onSaved: jest.fn(), onGrant: jest.fn(), onClosed: () => setOpened(0) };
  return (
    <>
      <button onClick={() => setOpened(7)}>Open</button>
      {opened > 0 && <UserEditor id={opened} {...editor} />}
    </>
  );
}

it('opens with the values of the server, not with those of an earlier visit', async () => {
  const groups = answers(UserGroupsDocument, { groups: ['default', 'vip'] });
  const mocks = [groups, inGroup('default'), inGroup('vip')] as never;
  await renderScreen({ routes: [{ path: '/', element: <Page /> }], mocks });
  const open = async () => {
    fireEvent.click(await screen.findByText('Open'));
    return within(await screen.findByRole('dialog'));
  };
  const first = await open();
  expect(first.getByRole('combobox', { name: 'Group' })).toHaveTextContent('default');
  fireEvent.click(first.getByRole('button', { name: 'Cancel' }));
  expect(await screen.findByRole('button', { name: 'Open' })).toBeVisible();
  // Another admin moves the user.
  const second = await open();
  expect(await second.findByText('vip')).toBeInTheDocument();
});

it.each([
  ['a user who is gone', 8],
  ['an address without an id', NaN],
])('says that there is no user: %s', async (_, id) => {
  const gone = { request: { query: UserDocument, variables: { id: 8 } }, result: { data: { user: null } } };
  const editor = { viewer, onSaved: jest.fn(), onGrant: jest.fn(), onClosed: jest.fn() };
  await renderScreen({ routes: [{ path: '/', element: <UserEditor id={id} {...editor} /> }], mocks: [gone] as never });
  expect(await screen.findByText('The user no longer exists')).toBeInTheDocument();
  expect(screen.queryByText(/NaN/)).toBeNull();
});

it('says that the groups and roles to choose from could not be loaded', async () => {
  signInAs();
  const failing = (query: object, message: string) => ({
    request: { query, variables: () => true },
    result: { errors: [{ message, extensions: { code: 'UPSTREAM' } }] },
    maxUsageCount: 9,
  });
  const mocks = [
    failing(UserGroupsDocument, 'The groups could not be read'),
    failing(RoleChoicesDocument, 'The roles could not be read'),
    inGroup('default', 'COMMON'),
  ];
  await renderScreen({ routes: [{ path: '/', element: <Page /> }], mocks: mocks as never });
  fireEvent.click(await screen.findByText('Open'));
  expect(await screen.findByText('The groups could not be read')).toBeInTheDocument();
  expect(await screen.findByText('The roles could not be read')).toBeInTheDocument();
});

it('changes the id that the operator’s own system has for the user', async () => {
  const sent: UpdateUserMutationVariables[] = [];
  const update = {
    request: {
      query: UpdateUserDocument,
      variables: (variables: UpdateUserMutationVariables) => {
        sent.push(variables);
        return true;
      },
    },
    result: {
      errors: [{ message: 'External id already in use', extensions: { code: 'CONFLICT', field: 'externalId' } }],
    },
  };
  const mocks = [
    answers(UserGroupsDocument, { groups: [] }),
    inGroup('default', 'ADMIN', { externalId: 'C-42' }),
    update,
  ];
  await renderScreen({ routes: [{ path: '/', element: <Page /> }], mocks: mocks as never });
  fireEvent.click(await screen.findByText('Open'));
  const field = await screen.findByRole('textbox', { name: /External ID/ });
  expect(field).toHaveValue('C-42');
  fireEvent.change(field, { target: { value: ' C-43 ' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save user' }));
  await waitFor(() => expect(sent).toEqual([{ input: { id: 7, externalId: 'C-43' } }]));
  await waitFor(() => expect(field).toHaveAccessibleDescription(/already/i));
});

it('offers an organisation neither a password nor a role nor identities', async () => {
  signInAs();
  const organisation = inGroup('default', 'COMMON', { kind: 'ORGANISATION', username: 'Acme' });
  const mocks = [answers(UserGroupsDocument, { groups: [] }), organisation];
  await renderScreen({ routes: [{ path: '/', element: <Page /> }], mocks: mocks as never });
  fireEvent.click(await screen.findByText('Open'));
  await screen.findByText('Organisation');
  expect(screen.queryByLabelText(/password/i)).toBeNull();
  expect(screen.queryByText('Bound identities')).toBeNull();
  await screen.findByRole('textbox', { name: /External ID/ });
});
