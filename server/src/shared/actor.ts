import { AppError, ForbiddenError } from './errors.js';
import { roleMay, type Membership, type OrganisationAbility } from './organisation.js';
import { entryOf, permissions, type Permission } from './permission.js';

/** The fixed roles, in their order, with their ranks: the REST API shows those as roles (docs/reference/rest/conventions.md#roles). */
export const ranks = { guest: 0, common: 1, admin: 10, root: 100 } as const;
export type Role = keyof typeof ranks;

/** Rank of a common user with a custom role: above common users, below admins. */
const operatorRank = 5;

/** The statuses of a user, in the order in which lists sort them. */
export const userStatuses = ['enabled', 'banned'] as const;
export type UserStatus = (typeof userStatuses)[number];

/** Scopes of a named access token, within the rights of its user. */
export const accessScopes = [
  ...(['USAGE_READ', 'LOGS_READ', 'ACCOUNT_READ', 'ADMIN_READ', 'KEYS_READ', 'BILLING', 'WRITE'] as const),
] as const;
export type AccessScope = (typeof accessScopes)[number];

/**
 * The caller. It is built once per request from the session or access token, and is the first argument of every service
 * method.
 */
export interface Actor {
  readonly id: number;
  readonly username: string;
  readonly role: Role;
  readonly status: UserStatus;
  readonly group: string;
  /** Set for a common user with a custom role: its permissions, including those that they imply. */
  readonly permissions?: readonly Permission[];
  /**
   * Set when the actor authenticated with a browser session: the session's id, so that this session can be revoked or
   * kept.
   */
  readonly sessionId?: string;
  /** Set in a session whose user has a second factor and has not shown it for five minutes. */
  readonly isUnconfirmed?: boolean;
  /** Set in a session whose user's role needs a second factor and has none. */
  readonly lacksSecondFactor?: boolean;
  /** Set when the actor authenticated with a named access token: the token's id, and its scopes. */
  readonly accessTokenId?: number;
  readonly scopes?: readonly AccessScope[];
  /** Set when the actor authenticated with an API key that may manage the keys of its owner: the key's id. */
  readonly apiKeyId?: number;
  /**
   * Set when the caller acts for an organisation. Id, name and group are then those of the organisation, and only
   * operations that ask for an ability (`requireAccount`) are open.
   */
  readonly membership?: Membership;
  /** The address of the caller, for audit rows and throttles. */
  readonly ip?: string;
}

/** `null` is an anonymous caller. */
export type MaybeActor = Actor | null;

/**
 * For operations of people. A caller who acts for an organisation is refused.
 * @throws AppError NOT_SIGNED_IN for an anonymous caller, USER_BANNED, SECOND_FACTOR_REQUIRED, INSUFFICIENT_PRIVILEGES
 */
export function requireActor(actor: MaybeActor): Actor {
  return withSecondFactor(requireSignIn(actor));
}

/**
 * For operations of an account, which a member of an organisation may do for it.
 * @throws AppError like `requireActor`; INSUFFICIENT_PRIVILEGES when the caller's role in the organisation may not
 */
export function requireAccount(actor: MaybeActor, ability: OrganisationAbility): Actor {
  const known = withSecondFactor(signedIn(actor));
  if (!mayFor(known, ability)) throw new ForbiddenError('Your role in this organisation does not allow this');
  return known;
}

/** Whether the caller may do this for the account: people may do everything for their own. */
export const mayFor = ({ membership }: Actor, ability: OrganisationAbility): boolean =>
  membership === undefined || roleMay(membership.role, ability);

/** Conditions on the API keys that the caller may read and change, as those of the account. */
export const ownKeys = (actor: Actor): { readonly userId: number; readonly memberId?: number } =>
  actor.membership && !mayFor(actor, 'keys.all')
    ? { userId: actor.id, memberId: actor.membership.id }
    : { userId: actor.id };

/** The person who acts, for an organisation or for themselves. */
export const personOf = ({ id, username, membership }: Actor): { readonly id: number; readonly username: string } =>
  membership ? { id: membership.userId, username: membership.username } : { id, username };

function withSecondFactor(actor: Actor): Actor {
  if (actor.lacksSecondFactor) {
    throw new AppError('SECOND_FACTOR_REQUIRED', 'Your role needs a second factor. Set one up to go on.');
  }
  return actor;
}

/**
 * Returns the caller, for the few operations that a user without a required second factor needs to set it up.
 * @throws AppError NOT_SIGNED_IN for an anonymous caller, USER_BANNED, INSUFFICIENT_PRIVILEGES for an organisation
 */
export function requireSignIn(actor: MaybeActor): Actor {
  const known = signedIn(actor);
  if (known.membership) throw new ForbiddenError('This is not possible for an organisation');
  return known;
}

function signedIn(actor: MaybeActor): Actor {
  if (!actor) throw new AppError('NOT_SIGNED_IN', 'No permission: not logged in and no access token provided');
  if (actor.status !== 'enabled') throw new AppError('USER_BANNED', 'User is banned');
  return actor;
}

/**
 * Checks that a session is confirmed, for operations that a stolen session must not reach. Users without a second
 * factor are accepted, and so are access tokens, which programs use.
 * @throws AppError CONFIRMATION_NEEDED when the second factor was not shown within five minutes
 */
export function requireConfirmed(actor: Actor): void {
  if (actor.isUnconfirmed) throw new AppError('CONFIRMATION_NEEDED', 'Confirm with your second factor to go on');
}

/**
 * Guards every operation that creates a way to sign in: through it, a named access token would escape its scopes, its
 * expiry and its revocation. It also guards everything that could lock the owner out.
 * @throws AppError NOT_SIGNED_IN, INSUFFICIENT_PRIVILEGES for a caller who used a named access token
 */
export function requireUnscoped(actor: MaybeActor): Actor {
  const known = requireActor(actor);
  if (known.scopes) throw new ForbiddenError('Sign in to do this: a named access token must not');
  return known;
}

/**
 * For new ways to sign in: an access token must not outlive itself, or the next password, through one of them.
 * @param what the message begins with `Sign in to` and this
 * @throws AppError NOT_SIGNED_IN, INSUFFICIENT_PRIVILEGES for a caller who used an access token
 */
export function requireSession(actor: MaybeActor, what: string): Actor & { readonly sessionId: string } {
  const known = requireActor(actor);
  if (known.sessionId === undefined) throw new ForbiddenError(`Sign in to ${what}: an access token must not`);
  return { ...known, sessionId: known.sessionId };
}

/** @throws AppError NOT_SIGNED_IN, INSUFFICIENT_PRIVILEGES when the actor's role is lower than `role` */
export function requireRole(actor: MaybeActor, role: Role): Actor {
  const known = requireActor(actor);
  if (ranks[known.role] < ranks[role]) throw new ForbiddenError();
  return known;
}

/** Whether the actor holds at least one of these permissions, by a fixed role or a custom one. */
export const holds = (actor: MaybeActor, ...anyOf: readonly Permission[]): boolean =>
  actor !== null &&
  anyOf.some((one) => ranks[actor.role] >= ranks[entryOf(one).least] || actor.permissions?.includes(one) === true);

/** Returns everything that the actor holds, in the order of the table. */
export const permissionsOf = (actor: Actor): Permission[] => permissions.filter((one) => holds(actor, one));

/**
 * Checks the permission of every operation of an area. Users with a custom role pass no `requireRole` above common, so
 * an operation is closed to them unless it names a permission.
 * @throws AppError NOT_SIGNED_IN, INSUFFICIENT_PRIVILEGES when the actor holds none of these permissions
 */
export function requirePermission(actor: MaybeActor, ...anyOf: readonly Permission[]): Actor {
  const known = requireActor(actor);
  if (!holds(known, ...anyOf)) throw new ForbiddenError();
  return known;
}

/**
 * Returns the users whose rows the caller may read: all with the permission, otherwise only the caller's account.
 * @param ability what a caller who acts for an organisation must be able to do, to read the rows of its account
 * @throws AppError NOT_SIGNED_IN, INSUFFICIENT_PRIVILEGES
 */
export function visibleUsers(
  actor: MaybeActor,
  ids: readonly number[],
  permission: Permission = 'users.read',
  ability: OrganisationAbility = 'wallet',
): number[] {
  const caller = requireAccount(actor, ability);
  return ids.filter((id) => id === caller.id || holds(caller, permission));
}

/** The fields of a user that decide which users it may act on. */
export interface Ranked {
  readonly role: Role;
  readonly customRoleId: number | null;
}

/** Returns the rank of a user: that of the fixed role, or a rank between common and admin with a custom role. */
export const rankOf = ({ role, customRoleId }: Ranked): number =>
  role === 'common' && customRoleId !== null ? operatorRank : ranks[role];

/** The lowest rank that administers anything. */
export const leastAdministrator = operatorRank;

/** Returns the rank of the caller, on the scale of `rankOf`. */
export const rankOfActor = ({ role, permissions: own }: Actor): number =>
  role === 'common' && own ? operatorRank : ranks[role];

/** Whether the actor administers anything: the changes of such callers are audited. */
export const administers = (actor: Actor): boolean => rankOfActor(actor) >= leastAdministrator;

/** Whether the actor may act on a user of this rank: root on all users, others only on lower ones. */
export function outranks(actor: Actor, targetRank: number): boolean {
  return actor.role === 'root' || rankOfActor(actor) > targetRank;
}

/**
 * Checks the scope of the caller's access token. Sessions and the system access token of the REST contract have no
 * scopes: they may do everything that their user may do.
 * @throws ForbiddenError when the access token lacks the scope
 */
export function requireScope(actor: MaybeActor, scope: AccessScope): void {
  if (actor && !hasScope(actor, scope)) throw new ForbiddenError(`This access token lacks the scope ${scope}`);
}

/** Whether the actor may use what this scope protects. Actors without scopes are not restricted. WRITE includes BILLING. */
export const hasScope = ({ scopes }: Actor, scope: AccessScope): boolean =>
  !scopes || scopes.includes(scope) || (scope === 'BILLING' && scopes.includes('WRITE'));
