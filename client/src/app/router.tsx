import { Suspense } from 'react';
import { createBrowserRouter, matchRoutes, Outlet, type RouteObject } from 'react-router-dom';
import { session } from '../lib/session.js';
import { CrashScreen } from './CrashScreen.js';
import { ConsoleHome, RequireAdmin, RequireUser, SetupGate, signedInOnly } from './guards.js';
import { NotFoundScreen } from './NotFoundScreen.js';
import { screens, type LazyScreen } from './routes.js';
import { ScreenSkeleton } from './ScreenSkeleton.js';
import { Shell } from './shell/Shell.js';

const at = (path: string, screen: LazyScreen): RouteObject => ({
  path,
  handle: screen,
  element: (
    <Suspense fallback={<ScreenSkeleton />}>
      <screen.Screen />
    </Suspense>
  ),
});

/** Screens crash inside the shell, so that the way out stays. */
const inShell = (children: RouteObject[]): RouteObject => ({
  element: <Outlet />,
  errorElement: <CrashScreen />,
  children,
});

export const routes: RouteObject[] = [
  {
    element: <SetupGate />,
    errorElement: <CrashScreen />,
    children: [
      // Nothing of the console is to be seen while somebody is on his way through.
      at('/oauth/:provider', screens.oauthLanding),
      {
        element: <Shell />,
        children: [
          inShell([
            at('/setup', screens.setup),
            at('/', screens.home),
            at('/login', screens.login),
            at('/register', screens.register),
            at('/reset', screens.reset),
            at('/user/reset', screens.resetConfirm),
            at('/pricing', screens.pricing),
            at('/about', screens.about),
            at('/chat', screens.chat),
            at('/chat/:id', screens.chat),
            {
              element: <RequireUser />,
              handle: signedInOnly,
              children: [
                at('/playground', screens.playground),
                at('/chat2link', screens.chatRedirect),
                at('/token', screens.tokens),
                at('/log', screens.logs),
                at('/midjourney', screens.drawings),
                at('/task', screens.creativeTasks),
                at('/detail', screens.dashboard),
                at('/topup', screens.wallet),
                at('/personal', screens.personal),
                // Without an id it is one's own account.
                at('/user/edit', screens.personal),
                { path: '/console', element: <ConsoleHome /> },
                {
                  element: <RequireAdmin />,
                  children: [
                    at('/channel', screens.channels),
                    at('/channel/add', screens.channels),
                    at('/channel/edit/:id', screens.channels),
                    at('/user', screens.users),
                    at('/user/edit/:id', screens.users),
                    at('/redemption', screens.redemptions),
                    at('/setting', screens.settings),
                  ],
                },
              ],
            },
            { path: '*', element: <NotFoundScreen /> },
          ]),
        ],
      },
    ],
  },
];

/** Fetches the screen of this address while everything before it is still made ready. */
export async function preloadScreen(pathname: string): Promise<void> {
  const matches = matchRoutes(routes, pathname) ?? [];
  const isTurnedAway = !session.get() && matches.some(({ route }) => route.handle === signedInOnly);
  const screen = isTurnedAway ? screens.login : (matches.at(-1)?.route.handle as LazyScreen | undefined);
  await screen?.preload();
}

export const createRouter = () => createBrowserRouter(routes);
