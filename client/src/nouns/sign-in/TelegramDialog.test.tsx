import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { renderScreen } from '../../testing/renderScreen.js';
import { settleConfirmation } from '../../lib/confirmation.js';
import { TelegramDialog } from './TelegramDialog.js';
import { telegramOrigin } from './telegramMessage.js';

const onDone = jest.fn();
let respond: (body: object) => void;
const { fetch } = globalThis;
beforeEach(() => {
  onDone.mockClear();
  globalThis.fetch = () =>
    new Promise((resolve) => {
      respond = (body) => resolve({ status: 200, text: async () => JSON.stringify(body) } as Response);
    });
});
afterEach(() => {
  globalThis.fetch = fetch;
});

function Page() {
  const [dialog, setDialog] = useState<'telegram' | 'email' | null>('telegram');
  return (
    <>
      <button onClick={() => setDialog('email')}>Email</button>
      <button onClick={() => setDialog('telegram')}>Telegram</button>
      {dialog === 'email' && <p>The other dialog</p>}
      <TelegramDialog
        open={dialog === 'telegram'}
        path="telegram/bind"
        onClose={() => setDialog(null)}
        onDone={onDone}
      />
    </>
  );
}

/** The user presses the button in Telegram's frame. */
const confirm = () => {
  const frame = screen.getByTitle<HTMLIFrameElement>('Telegram', { exact: false });
  const data = JSON.stringify({ event: 'auth_user', auth_data: { id: 1, hash: 'h' } });
  act(() => {
    dispatchEvent(new MessageEvent('message', { data, origin: telegramOrigin, source: frame.contentWindow }));
  });
};

const open = async () => {
  await renderScreen({ routes: [{ path: '/', element: <Page /> }] });
  confirm();
};

it('closes when the identity is bound', async () => {
  await open();
  await act(async () => respond({ success: true }));
  expect(onDone).toHaveBeenCalledWith({ kind: 'bound' });
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

it('leaves another dialog open when the response comes after it was closed', async () => {
  await open();
  fireEvent.click(screen.getByText('Email'));
  await act(async () => respond({ success: true }));
  expect(onDone).toHaveBeenCalledWith({ kind: 'bound' });
  expect(screen.getByText('The other dialog')).toBeInTheDocument();
});

it('shows no refusal of an earlier opening', async () => {
  await open();
  fireEvent.click(screen.getByText('Email'));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await act(async () => respond({ success: false, message: 'Already bound' }));
  await screen.findByText('Already bound');
  fireEvent.click(screen.getByText('Telegram'));
  const dialog = await screen.findByRole('dialog');
  expect(dialog).not.toHaveTextContent('Already bound');
});

it('binds after the user has confirmed with the second factor, and shows why not without it', async () => {
  const unconfirmed = { success: false, code: 'CONFIRMATION_NEEDED', message: 'Confirm with your second factor' };
  await open();
  await act(async () => respond(unconfirmed));
  await act(async () => settleConfirmation(false));
  await screen.findByText('Confirm with your second factor');
  confirm();
  await act(async () => respond(unconfirmed));
  await act(async () => settleConfirmation(true));
  await act(async () => respond({ success: true }));
  expect(onDone).toHaveBeenCalledWith({ kind: 'bound' });
});
