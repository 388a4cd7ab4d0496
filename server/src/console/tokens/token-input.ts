import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../shared/actor.js';
import { isAddressOrRange } from '../../shared/address.js';
import { dateOf, wholeSecond } from '../../shared/clock.js';
import { ForbiddenError, InvalidInputError } from '../../shared/errors.js';
import { lastSecond } from '../../shared/limits.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { maxQuota, quotaFrom } from '../../shared/quota.js';
import { parseScopes, usualScopes } from '../../shared/token-scopes.js';
import type { Token, TokenRateLimit, TokenStatus } from '../../billing/accounts/index.js';

/** The fields of a new key. */
export const newTokenDefaults = {
  name: '',
  expiresAt: null,
  remainQuota: 0,
  unlimitedQuota: false,
  modelLimitsEnabled: false,
  modelLimits: [],
  allowIps: [],
  group: '',
  fallbackGroups: [],
  fallbackModels: [],
  rateLimit: { enabled: false, periodSeconds: 60, calls: 1000, successes: 10 },
  scopes: [...usualScopes],
} satisfies Partial<Token>;
/** The fields of an API key that its owner can set. */
export type TokenFields = Readonly<Pick<Token, keyof typeof newTokenDefaults>>;
export const tokenFieldNames = Object.keys(newTokenDefaults) as Array<keyof TokenFields>;

/** A new key, or a change of one. Absent fields keep their value, null sets the value of a new key. */
export type TokenInput = {
  readonly [Name in Exclude<keyof TokenFields, 'rateLimit' | 'scopes'>]?:
    Readonly<TokenFields[Name]> | null | undefined;
} & {
  readonly scopes?: readonly string[] | null | undefined;
  /** Absent fields keep their value, also while the limit is off. */
  readonly rateLimit?: Partial<TokenRateLimit> | undefined;
  /** The new total of the owner's grants. The difference is added to the remaining quota, in place of `remainQuota`. */
  readonly grantedQuota?: number | undefined;
};

/** Returns the fields after an input. They are not validated yet. */
export function withInput(fields: TokenFields, { rateLimit = {}, ...input }: TokenInput): TokenFields {
  const given: Readonly<Record<string, unknown>> = input;
  const set = tokenFieldNames
    .filter((name) => given[name] !== undefined)
    .map((name) => [name, given[name] ?? newTokenDefaults[name]] as const);
  return {
    ...fields,
    ...(Object.fromEntries(set) as Partial<TokenFields>),
    rateLimit: { ...fields.rateLimit, ...omitUndefined(rateLimit) },
  };
}

const maxNameLength = 30;
/** Characters of all entries of a list together. */
const maxListLength = 10_000;
const maxFallbacks = 10;
const maxPeriodSeconds = 31_536_000;
const maxCalls = 2_147_483_647;

/**
 * Validates and normalises a complete set of fields.
 * @param before the stored token, null for a new one: values it already has are always accepted
 * @param usableGroups groups the owner may choose
 * @param now milliseconds since 1970
 * @throws InvalidInputError
 */
export function parseToken(
  fields: TokenFields,
  before: TokenFields | null,
  { usableGroups, now }: { usableGroups: readonly string[]; now: number },
): TokenFields {
  const name = parseName(fields.name, before);
  const expiresAt = parseExpiry(fields.expiresAt, before, now);
  const group = fields.group.trim();
  if (group !== '' && group !== before?.group && !usableGroups.includes(group)) {
    throw new InvalidInputError('You cannot use this group', 'group');
  }
  return {
    ...fields,
    name,
    expiresAt,
    group,
    remainQuota: parseQuota(fields, before),
    fallbackGroups: parseGroups(fields.fallbackGroups, before, usableGroups),
    fallbackModels: parseNames(fields.fallbackModels, 'fallbackModels', maxFallbacks),
    modelLimits: parseNames(fields.modelLimits, 'modelLimits'),
    allowIps: parseAddresses(fields.allowIps),
    rateLimit: parseRateLimit(fields.rateLimit),
    scopes: parseScopes(fields.scopes),
  };
}

/** Parses a name. An imported token may have a longer name, or none. */
function parseName(given: string, before: TokenFields | null): string {
  const name = given.trim();
  if (before && name === before.name.trim()) return before.name;
  if (name === '') throw new InvalidInputError('Token name must not be empty', 'name');
  if ([...name].length > maxNameLength) throw new InvalidInputError('Token name too long', 'name');
  if (name.includes('\0')) throw new InvalidInputError('Token name must not contain control characters', 'name');
  return name;
}

/** Fields that limit a key that manages keys. Its owner sets them. */
const managerLimits = ['scopes', 'expiresAt', 'allowIps'] as const;

/**
 * Checks that a key that manages keys stays within its limits: it must not loosen its own, and must not create or
 * change another such key, which would lack them.
 * @param before the stored key; null for a new one
 * @throws ForbiddenError
 */
export function assertKeepsManagers(actor: Actor, before: TokenFields | null, after: TokenFields): void {
  if (actor.apiKeyId === undefined) return;
  if (before && managerLimits.every((name) => isDeepStrictEqual(before[name], after[name]))) return;
  if (isManager(after) || (before && isManager(before))) throw managersOnly();
}

export const isManager = ({ scopes }: Pick<TokenFields, 'scopes'>): boolean => scopes.includes('keys');

export const managersOnly = (): ForbiddenError =>
  new ForbiddenError('Only their owner makes keys with the scope keys and changes their scopes, expiry and addresses');

type Lifetime = Pick<TokenFields, 'expiresAt' | 'unlimitedQuota' | 'remainQuota'>;

/** @param now milliseconds since 1970 */
export const hasExpired = ({ expiresAt }: Pick<Lifetime, 'expiresAt'>, now: number): boolean =>
  expiresAt !== null && expiresAt.getTime() <= now;

export const isExhausted = ({ unlimitedQuota, remainQuota }: Lifetime): boolean => !unlimitedQuota && remainQuota <= 0;

/**
 * Returns the status of a key at this time, as a call would find it. The relay stores that a key has expired or is
 * exhausted when the key is used next; `tokens.status` is 'enabled' until then.
 * @param now milliseconds since 1970
 */
export function shownStatus(token: Lifetime & { readonly status: TokenStatus }, now = Date.now()): TokenStatus {
  if (token.status !== 'enabled') return token.status;
  if (hasExpired(token, now)) return 'expired';
  return isExhausted(token) ? 'exhausted' : 'enabled';
}

/**
 * Checks that a key can be enabled. A key that the relay set to expired or exhausted can be enabled once its expiry or
 * quota is changed.
 * @param now milliseconds since 1970
 * @throws InvalidInputError
 */
export function assertCanBeEnabled(status: TokenStatus, values: Lifetime, now: number): void {
  if (status === 'expired' && hasExpired(values, now)) {
    throw new InvalidInputError('Token expired, change its expiry first', 'expiresAt');
  }
  if (status === 'exhausted' && isExhausted(values)) {
    throw new InvalidInputError('Token quota exhausted, change its quota first', 'quota');
  }
}

function parseExpiry(given: Date | null, before: TokenFields | null, now: number): Date | null {
  if (given === null) return null;
  const expiresAt = wholeSecond(given.getTime());
  const time = expiresAt.getTime();
  // A date that is out of range has no time, so it must not pass the comparisons.
  const isInFuture = time > now && time <= dateOf(lastSecond).getTime();
  if (!isInFuture && time !== before?.expiresAt?.getTime()) {
    throw new InvalidInputError('The expiry time must be -1 (never) or in the future', 'expiresAt');
  }
  return expiresAt;
}

/** Parses a rate limit, whose values are valid also while it is off. 0 means no limit. */
function parseRateLimit({ enabled, periodSeconds, calls, successes }: TokenRateLimit): TokenRateLimit {
  checkWhole(periodSeconds, 1, maxPeriodSeconds, 'rateLimitPeriod', 'rateLimit.periodSeconds');
  checkWhole(calls ?? 0, 0, maxCalls, 'rateLimitCount', 'rateLimit.calls');
  checkWhole(successes ?? 0, 0, maxCalls, 'rateLimitSuccess', 'rateLimit.successes');
  return { enabled, periodSeconds, calls: calls || null, successes: successes || null };
}

function checkWhole(value: number, low: number, high: number, name: string, field: string): void {
  if (!Number.isSafeInteger(value) || value < low || value > high) {
    throw new InvalidInputError(`${name} must be a whole number from ${low} to ${high}`, field);
  }
}

/**
 * Parses the remaining quota. That of an unlimited token may be negative. Forms send that number back, or -1 for a new
 * unlimited token: no change, or no quota.
 */
function parseQuota({ remainQuota, unlimitedQuota }: TokenFields, before: TokenFields | null): number {
  if (remainQuota === before?.remainQuota || (unlimitedQuota && remainQuota < 0)) return before?.remainQuota ?? 0;
  if (!Number.isSafeInteger(remainQuota) || remainQuota < 0 || remainQuota > maxQuota) {
    throw new InvalidInputError(`The quota must be ${quotaFrom(0)}`, 'quota');
  }
  return remainQuota;
}

/** Parses groups. The owner must be allowed to use each group, unless the key has it already. */
function parseGroups(given: readonly string[], before: TokenFields | null, usableGroups: readonly string[]): string[] {
  const groups = parseNames(given, 'fallbackGroups', maxFallbacks);
  if (!groups.every((group) => usableGroups.includes(group) || before?.fallbackGroups.includes(group))) {
    throw new InvalidInputError('You cannot use this group', 'fallbackGroups');
  }
  return groups;
}

/**
 * Returns the names, each once, in their order.
 * @throws InvalidInputError also for a name with a comma, which the REST API would show as two
 */
function parseNames(
  given: readonly string[],
  field: 'modelLimits' | 'fallbackModels' | 'fallbackGroups',
  most = Infinity,
): string[] {
  const names = [...new Set(given.map((name) => name.trim()).filter(Boolean))];
  if (names.some((name) => name.includes(','))) throw new InvalidInputError('Names must not contain a comma', field);
  if (isTooLong(names) || names.some((name) => name.includes('\0')) || names.length > most) {
    const noun = field === 'fallbackGroups' ? 'groups' : 'models';
    throw new InvalidInputError(`The list of ${noun} is too long`, field);
  }
  return names;
}

/** @throws InvalidInputError */
function parseAddresses(given: readonly string[]): string[] {
  const entries = [...new Set(given.map((entry) => entry.trim()).filter(Boolean))];
  if (isTooLong(entries)) throw new InvalidInputError('The list of addresses is too long', 'allowIps');
  if (!entries.every(isAddressOrRange)) {
    throw new InvalidInputError('Allowed addresses must be IP addresses or CIDR ranges, one per line', 'allowIps');
  }
  return entries;
}

const isTooLong = (entries: readonly string[]): boolean => entries.join().length > maxListLength;
