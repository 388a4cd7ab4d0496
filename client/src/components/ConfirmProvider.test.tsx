import { fireEvent, screen, waitFor, waitForElementToBeRemoved } from '@testing-library/react';
import { useNavigate } from 'react-router-dom';
import { renderScreen } from '../testing/renderScreen.js';
import { useConfirm } from './ConfirmProvider.js';

const answered = jest.fn<undefined, [boolean]>();

function Asking() {
  const confirm = useConfirm();
  const navigate = useNavigate();
  return (
    <>
      <button onClick={() => void confirm({ title: 'Delete it?', verb: 'Delete' }).then(answered)}>Ask</button>
      <button onClick={() => void navigate('/elsewhere')}>Leave</button>
    </>
  );
}

const open = () =>
  renderScreen({
    routes: [
      { path: '/', element: <Asking /> },
      { path: '/elsewhere', element: <h1>Elsewhere</h1> },
    ],
  });

beforeEach(() => {
  answered.mockClear();
});

it.each([
  ['Delete', true],
  ['Cancel', false],
])('takes %s for %s', async (button, yes) => {
  await open();
  fireEvent.click(screen.getByRole('button', { name: 'Ask' }));
  await screen.findByRole('alertdialog', { name: 'Delete it?' });
  expect(answered).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole('button', { name: button }));
  await waitForElementToBeRemoved(() => screen.queryByRole('alertdialog'));
  expect(answered.mock.calls).toEqual([[yes]]);
});

it('goes with the page that asked, and is then a no', async () => {
  await open();
  const leave = screen.getByRole('button', { name: 'Leave' });
  fireEvent.click(screen.getByRole('button', { name: 'Ask' }));
  const question = await screen.findByRole('alertdialog', { name: 'Delete it?' });
  fireEvent.click(leave);
  await screen.findByRole('heading', { name: 'Elsewhere' });
  expect(question).not.toBeInTheDocument();
  expect(answered.mock.calls).toEqual([[false]]);
});

it('takes no for a question that another one replaces', async () => {
  await open();
  const ask = screen.getByRole('button', { name: 'Ask' });
  fireEvent.click(ask);
  await screen.findByRole('alertdialog', { name: 'Delete it?' });
  fireEvent.click(ask);
  await waitFor(() => expect(answered.mock.calls).toEqual([[false]]));
  fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(answered.mock.calls).toEqual([[false], [true]]));
});
