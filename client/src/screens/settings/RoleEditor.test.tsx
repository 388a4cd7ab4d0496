import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { renderScreen } from '../../testing/renderScreen.js';
import { SettingsContext } from '../../nouns/settings/SettingsContext.js';
import { SettingsDraft } from '../../nouns/settings/settingsDraft.js';
import { UnsavedBar } from './UnsavedBar.js';
import { RoleEditor } from '../../nouns/roles/RoleEditor.js';
import { CreateCustomRoleDocument } from '../../nouns/roles/roles.generated.js';

const permissions = [{ permission: 'LOGS_READ', name: 'Read the log', area: 'LOGS', implies: [] }] as never;

function Page({ draft }: { readonly draft: SettingsDraft }) {
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(true);
  return (
    <SettingsContext.Provider value={draft}>
      <button onClick={() => void navigate('/elsewhere')}>Leave</button>
      <UnsavedBar />
      {isOpen && (
        <RoleEditor role={null} permissions={permissions} onSaved={jest.fn()} onClosed={() => setOpen(false)} />
      )}
    </SettingsContext.Provider>
  );
}

async function open() {
  const draft = new SettingsDraft();
  draft.load([{ key: 'RetryTimes', value: '1', isSet: true, isSecret: false, isWritable: true }]);
  const role = { __typename: 'CustomRole', id: 1, name: 'Support', permissions: ['LOGS_READ'], userCount: 0 };
  const create = {
    request: { query: CreateCustomRoleDocument, variables: () => true },
    result: { data: { createCustomRole: { __typename: 'CreateCustomRolePayload', role } } },
  };
  await renderScreen({
    path: '/setting',
    routes: [
      { path: '/setting', element: <Page draft={draft} /> },
      { path: '/elsewhere', element: <h1>Elsewhere</h1> },
    ],
    mocks: [create] as never,
  });
  await screen.findByRole('dialog');
  return draft;
}

const leave = () => fireEvent.click(screen.getByText('Leave'));
const keepsEditing = async () => {
  await screen.findByRole('alertdialog', { name: 'Discard changes?' });
  expect(screen.queryByRole('heading', { name: 'Elsewhere' })).toBeNull();
};

it('asks before unsaved settings behind the drawer are lost', async () => {
  const draft = await open();
  act(() => draft.edit('RetryTimes', '2'));
  leave();
  await keepsEditing();
});

it('asks before what was typed in the drawer is lost', async () => {
  await open();
  fireEvent.change(screen.getByLabelText(/^Name/), { target: { value: 'Support' } });
  leave();
  await keepsEditing();
});

it('saves the role alone with Ctrl+S', async () => {
  await open();
  const name = screen.getByLabelText(/^Name/);
  fireEvent.change(name, { target: { value: 'Support' } });
  fireEvent.click(screen.getByRole('checkbox', { name: 'Read the log' }));
  act(() => name.focus());
  await act(async () => {
    name.dispatchEvent(new KeyboardEvent('keydown', { key: 's', ctrlKey: true, bubbles: true }));
  });
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(screen.queryByText('You seem not to have changed anything')).toBeNull();
});
