import { Navigate, Outlet, useLocation } from 'react-router-dom';
import { adminRole, useSession } from '../lib/session.js';
import { useStatus } from '../lib/status.js';
import { NotFoundScreen } from './NotFoundScreen.js';

/** Until the wizard is done every path leads to it; afterwards none does. */
export function SetupGate() {
  const { setup } = useStatus();
  const { pathname } = useLocation();
  if (!setup && pathname !== '/setup') return <Navigate to="/setup" replace />;
  return <Outlet />;
}

/** Where to go on after signing in. Only paths of our own. */
export function returnPath(state: unknown): string {
  const from = (state as { from?: unknown } | null)?.from;
  return typeof from === 'string' && /^\/(?![/\\])/.test(from) ? from : '/token';
}

/** Marks the routes that send visitors to sign in: the console. */
export const signedInOnly = 'signed in only';

export function RequireUser() {
  const user = useSession();
  const { pathname, search } = useLocation();
  if (!user) return <Navigate to="/login" replace state={{ from: pathname + search }} />;
  return <Outlet />;
}

/** What a role may not see does not exist for it. */
export function RequireAdmin() {
  const user = useSession();
  return (user?.role ?? 0) >= adminRole ? <Outlet /> : <NotFoundScreen />;
}

/** Where the console begins: the dashboard when there is one, else the tokens. */
export function ConsoleHome() {
  const { dataExportEnabled } = useStatus();
  return <Navigate to={dataExportEnabled ? '/detail' : '/token'} replace />;
}
