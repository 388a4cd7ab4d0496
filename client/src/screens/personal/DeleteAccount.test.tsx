import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { DeleteAccount } from './DeleteAccount.js';
import { DeleteMeDocument } from './personal.generated.js';

const remove = jest.fn(() => ({ data: { deleteMe: { __typename: 'DeletePayload', id: 1 } } }));
const open = async () => {
  await renderScreen({
    routes: [{ path: '/', element: <DeleteAccount username="ada" /> }],
    mocks: [{ request: { query: DeleteMeDocument }, result: remove }] as never,
  });
  fireEvent.click(screen.getByRole('button', { name: 'Delete account' }));
  fireEvent.change(screen.getByRole('textbox'), { target: { value: 'ada' } });
};

it('does nothing on Enter after it was closed, and asks for the name again', async () => {
  await open();
  const form = screen.getByRole('textbox').closest('form') as HTMLFormElement;
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  await act(async () => fireEvent.submit(form));
  expect(remove).not.toHaveBeenCalled();
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  fireEvent.click(await screen.findByRole('button', { name: 'Delete account' }));
  expect(screen.getByRole('textbox')).toHaveValue('');
});
