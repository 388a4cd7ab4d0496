import { fromStoredUser, toStoredUser } from './session.wire.js';
import type { SessionUser } from './sessionUser.js';
import { readJson, writeJson, writeText } from './storage.js';
import { createStore, useStore } from './store.js';

export const adminRole = 10;
export const rootRole = 100;

/** Roles as the schema names them. The stored session keeps the numbers that browser extensions read. */
export const roleNumbers = { GUEST: 0, COMMON: 1, ADMIN: adminRole, ROOT: rootRole } as const;
const statusNumbers = { ENABLED: 1, BANNED: 2, OTHER: 3 } as const;

/** The session of a user as the API describes them. */
export const toSessionUser = (user: {
  readonly id: number;
  readonly username: string;
  readonly displayName: string;
  readonly role: keyof typeof roleNumbers;
  readonly status: keyof typeof statusNumbers;
  readonly group: string;
  /** Permissions of a custom role, as named by the schema (`permissions.ts`). Absent when there are none. */
  readonly permissions?: readonly string[];
}): SessionUser => ({ ...user, role: roleNumbers[user.role], status: statusNumbers[user.status] });

const storageKey = 'user';

const store = createStore<SessionUser | null>(fromStoredUser(readJson(storageKey)));

const leaving = new Set<(next: SessionUser | null) => void>();

// Signing out in one tab signs out the others.
addEventListener('storage', (event) => {
  if (event.key !== storageKey && event.key !== null) return;
  const [former, next] = [store.get(), fromStoredUser(readJson(storageKey))];
  // The cached data is dropped before anything is rendered for the next user.
  if (former && former.id !== next?.id) leaving.forEach((forget) => forget(next));
  store.set(next);
});

let hasExpired = false;
let changes = 0;

/** The signed-in user as stored by the browser. The server authorizes every request itself. */
export const session = {
  get: store.get,
  /** Whether the last session ended because the server no longer accepted it. */
  hasExpired: (): boolean => hasExpired,
  start(user: SessionUser): void {
    hasExpired = false;
    writeJson(storageKey, toStoredUser(user));
    store.set(user);
  },
  /** @param forget called when another tab has signed this user out, or another user in */
  onLeft(forget: (next: SessionUser | null) => void): void {
    leaving.add(forget);
  },
  /** Whether the server is about to give the user another id, so that requests with the old one fail. */
  isChanging: (): boolean => changes > 0,
  /** @param change returns the user as the server now knows them; null when nothing has changed */
  async change(change: () => Promise<SessionUser | null | undefined>): Promise<void> {
    changes++;
    try {
      const user = await change();
      if (user) session.start(user);
    } finally {
      changes--;
    }
  },
  /** Stores what the custom role of the signed-in user grants now. */
  grant(permissions: readonly string[]): void {
    const user = store.get();
    if (!user || String(user.permissions ?? []) === String(permissions)) return;
    const { permissions: _former, ...rest } = user;
    session.start(permissions.length > 0 ? { ...rest, permissions } : rest);
  },
  end(reason?: 'expired'): void {
    hasExpired = reason === 'expired';
    writeText(storageKey, null);
    store.set(null);
  },
};

export const useSession = (): SessionUser | null => useStore(store);
