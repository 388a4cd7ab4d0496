import type { SessionUser } from './sessionUser.js';

/** The stored shape is the sign-in response of older consoles: browser extensions read it from local storage. */
interface StoredUser {
  readonly id: number;
  readonly username: string;
  readonly display_name: string;
  readonly role: number;
  readonly status: number;
  readonly group: string;
  /** Older consoles ignore it. */
  readonly permissions?: readonly string[];
}

export const toStoredUser = (user: SessionUser): StoredUser => ({
  id: user.id,
  username: user.username,
  display_name: user.displayName,
  role: user.role,
  status: user.status,
  group: user.group,
  ...(user.permissions && { permissions: user.permissions }),
});

export function fromStoredUser(stored: unknown): SessionUser | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const user = stored as Partial<StoredUser>;
  if (!Number.isSafeInteger(user.id) || typeof user.username !== 'string' || typeof user.role !== 'number') return null;
  return {
    id: user.id as number,
    username: user.username,
    displayName: user.display_name ?? '',
    role: user.role,
    status: user.status ?? 1,
    group: user.group ?? 'default',
    ...(Array.isArray(user.permissions) && { permissions: user.permissions.map(String) }),
  };
}
