import { fireEvent, screen, waitFor } from '@testing-library/react';
import { Navigate } from 'react-router-dom';
import { session } from '../../lib/session.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { LoginScreen } from './LoginScreen.js';

it('asks for both fields of an empty form, and has the footer below it', async () => {
  session.end();
  await renderScreen({ path: '/login', routes: [{ path: '/login', element: <LoginScreen /> }] });
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(await screen.findAllByText('Please enter username and password')).toHaveLength(2);
  expect(screen.getByText('Powered by Tollgate')).toBeInTheDocument();
});

it('leads with Tab from the user name to the password, before the link to reset it', async () => {
  session.end();
  await renderScreen({ path: '/login', routes: [{ path: '/login', element: <LoginScreen /> }] });
  const stops = [...document.querySelectorAll('input, a[href="/reset"]')];
  const expected = [screen.getByLabelText('Username or email'), screen.getByLabelText('Password')];
  expect(stops).toEqual([...expected, screen.getByRole('link', { name: 'Forgot password?' })]);
});

it('is ready for the password of an account that was just created', async () => {
  session.end();
  await renderScreen({
    path: '/register',
    routes: [
      { path: '/register', element: <Navigate to="/login" state={{ registered: 'ada' }} /> },
      { path: '/login', element: <LoginScreen /> },
    ],
  });
  expect(await screen.findByRole('status')).toHaveTextContent('Account created. Sign in.');
  expect(screen.getByLabelText('Username or email')).toHaveValue('ada');
  await waitFor(() => expect(screen.getByLabelText('Password')).toHaveFocus());
  expect(screen.queryByText('Please enter username and password')).toBeNull();
});

it('begins at the user name otherwise', async () => {
  session.end();
  await renderScreen({ path: '/login', routes: [{ path: '/login', element: <LoginScreen /> }] });
  await waitFor(() => expect(screen.getByLabelText('Username or email')).toHaveFocus());
  expect(screen.queryByText('Account created. Sign in.')).toBeNull();
});
