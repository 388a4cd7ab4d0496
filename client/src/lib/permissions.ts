import { useActing } from './acting.js';
import { adminRole, rootRole, useSession } from './session.js';
import type { SessionUser } from './sessionUser.js';

/** Permissions that only root holds by its role. Admins hold all other permissions. */
const rootPermissions = ['PRICES_SYNC', 'PAYMENTS_SETTINGS', 'LOGS_CAPTURES', 'AUDIT'] as const;

/** Named rights, as the schema names them. */
export type Permission =
  | (typeof rootPermissions)[number]
  | (
      | 'CHANNELS_READ'
      | 'CHANNELS_WRITE'
      | 'CHANNELS_SECRETS'
      | 'USERS_READ'
      | 'USERS_WRITE'
      | 'USERS_QUOTA'
      | 'USERS_KEYS'
    )
  | ('BUDGETS' | 'PRICES' | 'PAYMENTS' | 'CODES' | 'LOGS_READ' | 'LOGS_DELETE' | 'LOGS_CONTENT' | 'TASKS_READ')
  | ('USAGE_READ' | 'OPTIONS' | 'ALERTS' | 'WEBHOOKS');

const isRootOnly = (permission: Permission): boolean => rootPermissions.some((one) => one === permission);

/**
 * Whether the user has one of these permissions. It decides what the console shows; the server authorizes every request
 * itself.
 */
export const may = (user: SessionUser | null, ...anyOf: readonly Permission[]): boolean =>
  user !== null &&
  anyOf.some(
    (one) => user.role >= (isRootOnly(one) ? rootRole : adminRole) || user.permissions?.includes(one) === true,
  );

/** `may` of the signed-in user. A member who acts for an organisation has no permissions of the site there. */
export function useMay(...anyOf: readonly Permission[]): boolean {
  const isActing = useActing() !== null;
  return may(useSession(), ...anyOf) && !isActing;
}
