import type { Permission } from '../lib/permissions.js';
import { rootRole, session } from '../lib/session.js';

/** Signs root in; with permissions, a user whose custom role holds exactly these. */
export function signInAs(...permissions: readonly Permission[]): void {
  const user = { id: 3, username: 'mira', displayName: '', status: 1, group: 'default' };
  session.start(permissions.length > 0 ? { ...user, role: 1, permissions } : { ...user, role: rootRole });
}
