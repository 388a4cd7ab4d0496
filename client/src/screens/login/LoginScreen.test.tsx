import { fireEvent, screen } from '@testing-library/react';
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
