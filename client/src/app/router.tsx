import { createBrowserRouter, matchRoutes, Outlet, type RouteObject } from 'react-router-dom';
import { loadable } from '../components/loadable.js';
import { basePath } from '../lib/basePath.js';
import { session } from '../lib/session.js';
import { isMobile } from '../lib/useMediaFlags.js';
import { EmbeddedScreensContext } from '../nouns/organisations/embedded.js';
import { CrashScreen } from './CrashScreen.js';
import { embeddedScreens } from './embeddedScreens.js';
import { ConsoleHome, RequirePermission, RequireUser, SetupGate } from './guards.js';
import { lazyScreen } from './lazyScreens.js';
import { ScreenSkeleton } from './ScreenSkeleton.js';
import { screens, type ScreenEntry } from './screens.js';
import { Shell, SideBar } from './shell/Shell.js';

// Few visitors need this component, so it is not in the first chunk.
const { Component: UnknownAddress } = loadable(
  async () => (await import('./oldAddresses.js')).UnknownAddress,
  ScreenSkeleton,
);

const routesOf = (has: (entry: ScreenEntry) => boolean): RouteObject[] =>
  screens.filter(has).flatMap((entry) => {
    const { Screen } = lazyScreen(entry);
    return entry.paths.map((path) => ({ path, handle: entry, element: <Screen /> }));
  });

const inShell = ({ layout }: ScreenEntry): boolean => layout !== 'bare';

/** Paths of older consoles that a path of today, such as `/token/:id`, would match. */
export const shadowedPaths = ['/token/add', '/token/edit/:id', '/user/add'] as const;

/** Built from the table of screens (`screens.ts`). */
export const routes: RouteObject[] = [
  {
    element: <SetupGate />,
    errorElement: <CrashScreen />,
    children: [
      ...routesOf((entry) => !inShell(entry)),
      {
        element: (
          <EmbeddedScreensContext value={embeddedScreens}>
            <Shell />
          </EmbeddedScreensContext>
        ),
        children: [
          {
            // An error of a screen is caught inside the shell, so that the navigation stays usable.
            element: <Outlet />,
            errorElement: <CrashScreen />,
            children: [
              ...routesOf((entry) => inShell(entry) && entry.access !== undefined),
              {
                element: <RequireUser />,
                children: [
                  ...routesOf(({ access, permission }) => !access && !permission),
                  { path: '/console', element: <ConsoleHome /> },
                  ...screens.flatMap((entry) =>
                    entry.permission === undefined
                      ? []
                      : [
                          {
                            element: <RequirePermission permission={entry.permission} />,
                            children: routesOf((one) => one === entry),
                          },
                        ],
                  ),
                ],
              },
              ...[...shadowedPaths, '*'].map((path) => ({ path, element: <UnknownAddress /> })),
            ],
          },
        ],
      },
    ],
  },
];

/** Loads the screen of an address, and the side bar beside it, before the first render. A visitor at a path behind sign-in gets the login screen. */
export async function preloadScreen(pathname: string): Promise<void> {
  const asked = entryAt(pathname);
  const needsSignIn = asked !== undefined && asked.access === undefined;
  const entry = needsSignIn && !session.get() ? entryAt('/login') : asked;
  const hasSideBar = session.get() !== null && entry?.layout === undefined && !isMobile();
  await Promise.all([entry && lazyScreen(entry).preload(), hasSideBar && SideBar.preload()]);
}

const entryAt = (pathname: string): ScreenEntry | undefined =>
  matchRoutes(routes, pathname, basePath || '/')?.at(-1)?.route.handle as ScreenEntry | undefined;

export const createRouter = () => createBrowserRouter(routes, { basename: basePath || '/' });
