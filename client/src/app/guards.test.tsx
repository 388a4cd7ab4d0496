import { act, screen } from '@testing-library/react';
import { session } from '../lib/session.js';
import { siteStatus } from '../lib/status.js';
import { renderScreen } from '../testing/renderScreen.js';
import { RequirePermission, RequireUser, SetupGate } from './guards.js';

const status = siteStatus.get();
const somebody = (role: number) => ({ id: 2, username: 'mira', displayName: '', role, status: 1, group: 'default' });

const routes = [
  {
    element: <SetupGate />,
    children: [
      { path: '/setup', element: <p>wizard</p> },
      { path: '/login', element: <p>sign in</p> },
      {
        element: <RequireUser />,
        children: [
          { path: '/token', element: <p>tokens</p> },
          {
            element: <RequirePermission permission={['CHANNELS_READ']} />,
            children: [{ path: '/channel', element: <p>channels</p> }],
          },
        ],
      },
    ],
  },
];
const visit = (path: string) => renderScreen({ path, routes });

beforeEach(() => {
  siteStatus.set({ ...status, setup: true });
  session.end();
});

it.each(['/token', '/channel', '/login'])('leads %s to the wizard while there is no administrator', async (path) => {
  siteStatus.set({ ...status, setup: false });
  await visit(path);
  expect(screen.getByText('wizard')).toBeInTheDocument();
});

it('leads strangers to the sign-in page', async () => {
  const { location } = await visit('/channel?page=2');
  expect(location()).toBe('/login');
});

it('lets users in, and hides what is for admins', async () => {
  session.start(somebody(1));
  const { unmount } = await visit('/token');
  expect(screen.getByText('tokens')).toBeInTheDocument();
  unmount();
  await visit('/channel');
  expect(await screen.findByText('Page does not exist')).toBeInTheDocument();
  expect(screen.queryByText('channels')).toBeNull();
});

it('lets a custom role into what its permissions open', async () => {
  session.start({ ...somebody(1), permissions: ['USERS_READ', 'CHANNELS_READ'] });
  const { unmount } = await visit('/channel');
  expect(screen.getByText('channels')).toBeInTheDocument();
  unmount();
  session.start({ ...somebody(1), permissions: ['USERS_READ'] });
  await visit('/channel');
  expect(await screen.findByText('Page does not exist')).toBeInTheDocument();
});

it.each([10, 100])('lets role %d into the admin screens', async (role) => {
  session.start(somebody(role));
  await visit('/channel');
  expect(screen.getByText('channels')).toBeInTheDocument();
});

it.each([
  ['expired', '/login?expired=true'],
  [undefined, '/login'],
] as const)('tells the sign-in page that the session has %s', async (reason, expected) => {
  session.start(somebody(1));
  const { location } = await visit('/token');
  act(() => {
    session.end(reason);
  });
  expect(location()).toBe(expected);
});
