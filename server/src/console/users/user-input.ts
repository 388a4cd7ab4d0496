import { z } from 'zod';
import { InvalidInputError } from '../../shared/errors.js';
import { isQuota, maxQuota, quotaFrom } from '../../shared/quota.js';
import type { User } from '../../billing/accounts/index.js';

/** One line of text without control characters. */
const line = (label: string, most: number): z.ZodType<string> =>
  z
    .string()
    .trim()
    .max(most, `${label} must have at most ${most} characters`)
    .refine((text) => !/\p{Cc}/u.test(text), `${label} must not contain control characters`);

/** Format characters, separators of lines and fillers: a name with them looks like another one, or like none. */
const invisible = /[\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u2800]/u;

/** No `@`: sign-in could mistake such a name for an e-mail address. */
export const usernameRule = line('username', 64)
  .refine((name) => name !== '', 'username must not be empty')
  .refine((name) => !invisible.test(name), 'username must not contain invisible characters')
  .refine((name) => !name.includes('@'), 'username must not contain @');

/** bcrypt hashes from older consoles cover 72 bytes. */
export const passwordRule = z
  .string()
  .min(8, 'password must have at least 8 characters')
  .refine((password) => Buffer.byteLength(password) <= 72, 'password must have at most 72 bytes');

export const displayNameRule = line('display name', 20);
export const groupRule = line('group', 64).refine((group) => group !== '', 'group must not be empty');
export const emailRule = z
  .string()
  .trim()
  .max(50, 'email must have at most 50 characters')
  .refine((email) => email === '' || /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+\.[^\s@\p{Cc}]+$/u.test(email), 'email is not valid');
/** Empty: none. */
export const externalIdRule = line('external id', 128);
export const quotaRule = z.number().refine(isQuota, `quota must be ${quotaFrom(-maxQuota)}`);
export const noteRule = line('note', 200);

/** Fields of a new user, as an admin sends them. */
export const newUserInput = z.object({
  username: usernameRule,
  password: passwordRule,
  displayName: displayNameRule.optional(),
  /** Only compared with the admin's rank. New users are always common users. */
  rank: z.int().optional(),
  group: groupRule.optional(),
  externalId: externalIdRule.optional(),
  /** The first balance, instead of the one that new users get. */
  quota: quotaRule.refine((quota) => quota >= 0, 'quota must not be negative').optional(),
});

/** Absent means unchanged; so does an empty password. */
export const userPatch = z.object({
  username: usernameRule.optional(),
  password: z.literal('').or(passwordRule).optional(),
  displayName: displayNameRule.optional(),
  group: groupRule.optional(),
  email: emailRule.optional(),
  externalId: externalIdRule.optional(),
  /** New balance; the difference is posted. */
  quota: quotaRule.optional(),
  /**
   * The balance when `quota` was read, without what the same admin had granted until then. With it, `quota` is not the
   * new balance, but what the balance would be if the user had not spent or received anything since.
   */
  ungrantedQuota: quotaRule.optional(),
  /** Amount to add. Exact, even while the user is spending. */
  quotaDelta: quotaRule.optional(),
  /** Only compared with the admin's rank: `manage` changes roles. */
  rank: z.int().optional(),
});

/** Fields of the own account. Empty means unchanged. */
export const selfPatch = z.object({
  username: z.literal('').or(usernameRule).optional(),
  displayName: displayNameRule.optional(),
  password: z.literal('').or(passwordRule).optional(),
  originalPassword: z.string().max(1000).optional(),
});

export type NewUserInput = z.input<typeof newUserInput>;
export type UserPatch = z.input<typeof userPatch>;
export type SelfPatch = z.input<typeof selfPatch>;

/**
 * Forms of older consoles send the whole user back. Texts that the user has already are left out: those that were moved
 * in, or came from a sign-in provider there, need not meet the rules for new ones.
 */
export function withoutKept<Patch extends UserPatch | SelfPatch>(
  patch: Patch,
  kept: Readonly<Pick<User, 'username' | 'displayName' | 'group' | 'email'>> | null,
): Patch {
  const names = ['username', 'displayName', 'group', 'email'] as const;
  const given: Partial<Record<(typeof names)[number], unknown>> = patch;
  const same = names.filter((name) => kept && given[name] === kept[name]);
  return { ...patch, ...Object.fromEntries(same.map((name) => [name, undefined])) };
}

/**
 * Null and undefined mean absent, because REST and GraphQL clients send both.
 * @throws InvalidInputError with the first problem, without the refused value
 */
export function parsed<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(withoutAbsent(input));
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new InvalidInputError(`Invalid input: ${issue?.message ?? 'not valid'}`, issue?.path.join('.') || undefined);
}

function withoutAbsent(input: unknown): unknown {
  if (typeof input !== 'object' || input === null) return input;
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null && value !== undefined));
}
