import { fireEvent, screen } from '@testing-library/react';
import { useLocation } from 'react-router-dom';
import { session } from '../../lib/session.js';
import { siteStatus } from '../../lib/status.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { RegisterDocument } from './register.generated.js';
import { RegisterScreen } from './RegisterScreen.js';

function Login() {
  return <output>{JSON.stringify(useLocation().state)}</output>;
}

it('leads a new user to the sign-in page with the name that was registered', async () => {
  session.end();
  siteStatus.set({ ...siteStatus.get(), registerEnabled: true, passwordRegisterEnabled: true });
  const input = { username: 'ada', password: 'long enough 1' };
  await renderScreen({
    path: '/register',
    routes: [
      { path: '/register', element: <RegisterScreen /> },
      { path: '/login', element: <Login /> },
    ],
    mocks: [
      {
        request: { query: RegisterDocument, variables: { input } },
        result: { data: { register: { __typename: 'User', username: 'ada' } } },
      },
    ] as never,
  });
  const fill = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });
  fill('Username', ' ada ');
  fill('Password', input.password);
  fill('Confirm password', input.password);
  fireEvent.click(screen.getByRole('button', { name: 'Create account' }));
  expect(await screen.findByText('{"registered":"ada"}')).toBeInTheDocument();
});
