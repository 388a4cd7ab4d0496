import { screen } from '@testing-library/react';
import { matchRoutes } from 'react-router-dom';
import { session } from '../lib/session.js';
import { siteStatus } from '../lib/status.js';
import { renderScreen } from '../testing/renderScreen.js';
import { presentPath, UnknownAddress } from './oldAddresses.js';
import { routes, shadowedPaths } from './router.js';
import { screens } from './screens.js';

const links = [
  // Links that all-api-hub opens for a site of type Veloera, and of type new-api.
  ['/app/me', '/personal'],
  ['/app/wallet', '/topup'],
  ['/app/logs/api-usage', '/log'],
  ['/console/log', '/log'],
  ['/console/personal', '/personal'],
  ['/console/topup', '/topup'],
  ['/console/token', '/token'],
  // Other screens of new-api, one-api and Veloera.
  ['/console/channel/edit/12', '/channel/edit/12'],
  ['/console/chat/2', '/chat/2'],
  ['/console/setting/', '/setting'],
  ['/panel/profile', '/personal'],
  ['/panel/dashboard', '/detail'],
  ['/panel/user', '/user'],
  ['/app', '/console'],
  ['/dashboard', '/detail'],
  ['/token/add', '/token'],
  ['/token/edit/7', '/token'],
  ['/redemption/edit/7', '/redemption'],
  ['/user/add', '/user'],
] as const;

it.each(links)('%s is now %s', (old, present) => {
  expect(presentPath(old)).toBe(present);
});

it('leads to screens that exist, from paths that no screen has', () => {
  const pathOf = (path: string) => matchRoutes(routes, path)?.at(-1)?.route.path;
  for (const [old, present] of links) {
    expect(['*', ...shadowedPaths]).toContain(pathOf(old));
    const isScreen = screens.some(({ paths }) => paths.some((one) => pathOf(present) === one));
    expect([present, isScreen || present === '/console']).toEqual([present, true]);
  }
});

describe('in the router', () => {
  const unknown = [{ path: '*', element: <UnknownAddress /> }];

  beforeEach(() => {
    siteStatus.set({ ...siteStatus.get(), setup: true });
    session.end();
  });

  it('keeps the query', async () => {
    const { location } = await renderScreen({
      path: '/console/log?type=2&p=3',
      routes: [...unknown, { path: '/log', element: <p>log</p> }],
    });
    expect([location(), screen.getByText('log').textContent]).toEqual(['/log?type=2&p=3', 'log']);
  });

  it.each(['/console/nothing', '/app/nothing/else', '/panel/x'])('knows no %s', async (path) => {
    await renderScreen({ path, routes: unknown });
    expect(screen.getByText('Page does not exist')).toBeInTheDocument();
  });
});
