/** Parts of the administration, in the order in which the console lists them. */
export const permissionAreas = ['channels', 'users', 'money', 'logs', 'site'] as const;
export type PermissionArea = (typeof permissionAreas)[number];

interface PermissionEntry {
  readonly area: PermissionArea;
  /** The lowest fixed role that holds the permission. */
  readonly least: 'admin' | 'root';
  /** Permissions that everyone with this permission also holds. */
  readonly implies?: readonly string[];
}

/**
 * Every named permission. The fixed roles are bundles of them: an admin holds those with `least: 'admin'`, root all, a
 * common user none. Operations without a permission (roles of users, sign-in, mail, the move from another program)
 * stay with their fixed role, because they lead to every other right.
 */
export const permissionTable = {
  'channels.read': { area: 'channels', least: 'admin' },
  'channels.write': { area: 'channels', least: 'admin', implies: ['channels.read'] },
  'channels.secrets': { area: 'channels', least: 'admin', implies: ['channels.read'] },
  'users.read': { area: 'users', least: 'admin' },
  'users.write': { area: 'users', least: 'admin', implies: ['users.read'] },
  'users.quota': { area: 'users', least: 'admin', implies: ['users.read'] },
  'users.keys': { area: 'users', least: 'admin', implies: ['users.read'] },
  budgets: { area: 'users', least: 'admin' },
  prices: { area: 'money', least: 'admin' },
  'prices.sync': { area: 'money', least: 'root', implies: ['prices'] },
  payments: { area: 'money', least: 'admin' },
  'payments.settings': { area: 'money', least: 'root' },
  codes: { area: 'money', least: 'admin' },
  'logs.read': { area: 'logs', least: 'admin' },
  'logs.delete': { area: 'logs', least: 'admin', implies: ['logs.read'] },
  'logs.content': { area: 'logs', least: 'admin', implies: ['logs.read'] },
  'logs.captures': { area: 'logs', least: 'root', implies: ['logs.read', 'logs.content'] },
  'tasks.read': { area: 'logs', least: 'admin' },
  'usage.read': { area: 'logs', least: 'admin' },
  options: { area: 'site', least: 'admin' },
  alerts: { area: 'site', least: 'admin' },
  webhooks: { area: 'site', least: 'admin' },
  audit: { area: 'site', least: 'root' },
} as const satisfies Record<string, PermissionEntry>;

export type Permission = keyof typeof permissionTable;

export const permissions = Object.keys(permissionTable) as Permission[];

/** @returns whether this is the name of a permission: a stored one may come from a newer version */
export const isPermission = (name: string): name is Permission => Object.hasOwn(permissionTable, name);

export const entryOf = (permission: Permission): PermissionEntry => permissionTable[permission];

/** Returns these permissions and those that they imply, in the order of the table. Unknown names are left out. */
export function withImplied(names: readonly string[]): Permission[] {
  const held = new Set(names.filter(isPermission).flatMap((name) => [name, ...(entryOf(name).implies ?? [])]));
  return permissions.filter((name) => held.has(name));
}
