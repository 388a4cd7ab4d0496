import { Navigate, Outlet, useLocation } from 'react-router-dom';
import { loadable } from '../components/loadable.js';
import { useMay, type Permission } from '../lib/permissions.js';
import { session, useSession } from '../lib/session.js';
import { useStatus } from '../lib/status.js';

const { Component: NotFound } = loadable(async () => (await import('../components/NotFound.js')).NotFound);

/** Until setup is finished every path redirects to the wizard; afterwards none does. */
export function SetupGate() {
  const { setup } = useStatus();
  const { pathname } = useLocation();
  if (!setup && pathname !== '/setup') return <Navigate to="/setup" replace />;
  return <Outlet />;
}

/** Sends visitors to the sign-in page and back afterwards. */
export function RequireUser() {
  const user = useSession();
  const { pathname, search } = useLocation();
  if (!user) {
    const login = session.hasExpired() ? '/login?expired=true' : '/login';
    return <Navigate to={login} replace state={{ from: pathname + search }} />;
  }
  return <Outlet />;
}

/** Shows the not-found page to users who may not see the screen. */
export function RequirePermission({ permission }: { readonly permission: readonly Permission[] }) {
  if (useMay(...permission)) return <Outlet />;
  return <NotFound />;
}

/** The first page of the console: the dashboard if it is enabled, or else the tokens. */
export function ConsoleHome() {
  const { enableDataExport } = useStatus();
  return <Navigate to={enableDataExport ? '/detail' : '/token'} replace />;
}
