import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { olderUserIdHeader } from '../../platform/http/authenticate.js';
import { flag, int, named, nullish, quota, text } from '../../platform/http/openapi/operation.js';
import { RestAnswer } from '../../platform/http/rest.js';
import { ranks, type UserStatus } from '../../shared/actor.js';
import type { ErrorCode } from '../../shared/errors.js';
import { camelKeys, pick, snakeKeys } from '../../shared/snake-case.js';
import type { StoredSetting, User } from '../../billing/accounts/index.js';

/** Fields that have the same name in REST, in snake case. */
const sameFields = [
  'username',
  'displayName',
  'email',
  'githubId',
  'oidcId',
  'wechatId',
  'telegramId',
  'linuxDoId',
  'quota',
  'usedQuota',
  'requestCount',
  'group',
  'affCount',
  'affQuota',
  'affHistoryQuota',
] as const;

const shape = {
  id: int('Id'),
  username: text(
    'Name for signing in. Unique in any case, also among deleted users. At most 64 characters (12 at registration), no `@`',
  ),
  password: text('8 characters to 72 bytes (8 to 20 characters at registration). Always empty in responses'),
  display_name: text('Name that the console shows, at most 20 characters. The username by default'),
  role: int('1 common user, 10 admin, 100 root'),
  status: int('1 enabled, 2 banned'),
  email: text('Verified address of at most 50 characters, unique, or empty'),
  github_id: text('Numeric id at GitHub, or empty'),
  oidc_id: text('Subject at the OIDC provider, or empty'),
  wechat_id: text('Id at WeChat, or empty'),
  telegram_id: text('Id at Telegram, or empty'),
  verification_code: text('Part of the body of a registration. Always empty in responses'),
  access_token: z
    .string()
    .nullable()
    .describe('Only in the own user, and not while a second factor has to be confirmed; null for all others'),
  quota: quota('Balance, which may be negative'),
  used_quota: quota('Charged so far'),
  request_count: int('Charged calls'),
  group: text('Group, whose ratio multiplies prices'),
  aff_code: text("Own invite code. In the body of a registration the inviter's"),
  aff_count: int('Rewarded invitations'),
  aff_quota: quota('Invite earnings that were not moved to the balance yet'),
  aff_history_quota: quota('All invite earnings'),
  inviter_id: int('Id of the user who invited this one, or 0'),
  DeletedAt: z.string().nullable().describe('Time of deletion (RFC 3339), or null'),
  linux_do_id: text('Id at Linux DO, or empty'),
  setting: text('JSON text of the settings, or empty'),
  last_check_in_time: z.string().nullable().describe('Time of the last check-in (RFC 3339), or null'),
};

export const userShape = named('User', 'A user.', shape);
export const managedShape = named('ManagedUser', 'A user as an admin reads it.', {
  ...shape,
  ungranted_quota: quota('Balance without what this admin has granted. Forms send it back with `quota`'),
  external_id: text('Id of the user in a system of the operator, unique, or empty'),
});
/** A user in the REST shape (docs/reference/rest/entities.md#user). Every key is always present. */
export type WireUser = z.output<typeof userShape>;
export type ManagedUser = z.output<typeof managedShape>;

const emptyUser: WireUser = {
  id: 0,
  username: '',
  password: '',
  display_name: '',
  role: 0,
  status: 0,
  email: '',
  github_id: '',
  oidc_id: '',
  wechat_id: '',
  telegram_id: '',
  verification_code: '',
  access_token: null,
  quota: 0,
  used_quota: 0,
  request_count: 0,
  group: '',
  aff_code: '',
  aff_count: 0,
  aff_quota: 0,
  aff_history_quota: 0,
  inviter_id: 0,
  DeletedAt: null,
  linux_do_id: '',
  setting: '',
  last_check_in_time: null,
};

const statusNumbers: Readonly<Record<UserStatus, number>> = { enabled: 1, banned: 2 };
const numbersOf = ({ role, status }: User) => ({ role: ranks[role], status: statusNumbers[status] });

const none = { accessToken: null, webhookSecret: '' };

/** Returns the JSON text of a setting; empty when nothing is set. */
function settingText({ webhookSecretSealed: _, ...setting }: StoredSetting, webhookSecret: string): string {
  const shown = { ...setting, ...(webhookSecret && { webhookSecret }) };
  return Object.keys(shown).length === 0 ? '' : JSON.stringify(snakeKeys(shown));
}

/** @param own secrets that only the user may read */
export const toWire = (
  user: User,
  own: { readonly accessToken: string | null; readonly webhookSecret: string } = none,
): WireUser => ({
  ...emptyUser,
  id: user.id,
  ...snakeKeys(pick(user, sameFields)),
  ...numbersOf(user),
  inviter_id: user.inviterId ?? 0,
  access_token: own.accessToken,
  setting: settingText(user.setting, own.webhookSecret),
  aff_code: user.affCode ?? '',
  DeletedAt: user.deletedAt?.toISOString() ?? null,
  last_check_in_time: user.lastCheckInTime?.toISOString() ?? null,
});

/**
 * Returns a user in the form for admins. Forms send `ungranted_quota`, the balance without the grants of this admin,
 * back with their `quota`.
 */
export const toAdminWire = (user: User, granted: number): ManagedUser => ({
  ...toWire(user),
  ungranted_quota: user.quota - granted,
  external_id: user.externalId ?? '',
});

const signInFields = ['id', 'username', 'displayName', 'group'] as const;

/** Returns the sign-in response, which has only six fields. */
export const toSignInWire = (user: User): WireUser => ({
  ...emptyUser,
  ...snakeKeys(pick(user, signInFields)),
  ...numbersOf(user),
});

/**
 * Returns the response of a sign-in: the user, or that the second factor is missing. This is no success for clients that know no
 * second factor; those of new-api, which send its header, read `require_2fa` of a success.
 */
export const signInAnswer = (
  { user, needsSecondFactor }: { readonly user: User; readonly needsSecondFactor: boolean },
  { headers }: FastifyRequest,
): WireUser | RestAnswer =>
  needsSecondFactor
    ? new RestAnswer({
        success: headers[olderUserIdHeader] !== undefined,
        message: 'Enter the code of your second factor',
        code: 'SECOND_FACTOR_NEEDED' satisfies ErrorCode,
        data: { require_2fa: true },
      })
    : toSignInWire(user);

/** Returns the response of an admin's action, which has only two fields. */
export const toManagedWire = (user: User): WireUser => ({ ...emptyUser, ...numbersOf(user) });

/** `POST /api/user/login/2fa`. */
export const codeBody = z.object({ code: z.string().max(64) });

/** Returns the proof that a code is: one of the authenticator app, or a recovery code. */
export const proofOf = (code: string): { readonly code: string } | { readonly recoveryCode: string } =>
  /^\s*(\d\s*){6}$/.test(code) ? { code } : { recoveryCode: code };

export const loginBody = z.object({ username: z.string(), password: z.string() });

export const selfBody = z
  .object({
    username: nullish.text,
    display_name: nullish.text,
    password: nullish.text,
    original_password: nullish.text,
  })
  .transform(camelKeys);

export const settingShape = z.object({
  notify_type: text('How notices are delivered: `email` or `webhook`'),
  quota_warning_threshold: z.number().describe('A notice is sent when the balance falls below it. Above 0'),
  webhook_url: text('For `webhook`, with `https`'),
  webhook_secret: text('For `webhook`. Sealed at rest'),
  notification_email: text('For `email`; empty for the address of the account'),
  accept_unset_model_ratio_model: flag('Calls to models without a price are allowed'),
  record_ip_log: flag('Log rows of own calls have the address of the client. Off by default'),
});

/** The stored setting is replaced, so an absent secret removes it. */
export const settingBody = z
  .object({
    notify_type: nullish.text,
    quota_warning_threshold: z.number().nullish(),
    webhook_url: nullish.text,
    webhook_secret: nullish.text,
    notification_email: nullish.text,
    accept_unset_model_ratio_model: nullish.flag,
    record_ip_log: nullish.flag,
  })
  .transform((body) => ({ ...camelKeys(body), webhookSecret: body.webhook_secret ?? '' }));

export const createBody = z
  .object({
    username: z.string().trim().min(1),
    password: z.string().min(1),
    display_name: nullish.text,
    role: nullish.whole,
    group: nullish.text,
    external_id: nullish.text,
    // Older consoles send `quota`, which they expect to be ignored.
    balance: nullish.whole,
  })
  .transform((body) => ({
    username: body.username,
    password: body.password,
    displayName: body.display_name || undefined,
    rank: body.role ?? undefined,
    group: body.group || undefined,
    externalId: body.external_id || undefined,
    quota: body.balance ?? undefined,
  }));

/** `POST /api/user/:id/balance`: an amount to add, or the balance to set. */
export const balanceBody = z
  .object({ amount: nullish.whole, balance: nullish.whole, note: nullish.text })
  .refine(({ amount, balance }) => (amount == null) !== (balance == null), {
    path: ['amount'],
    error: 'Send either amount or balance',
  });

export const updateBody = z
  .object({
    id: z.int32().min(1),
    username: nullish.text,
    display_name: nullish.text,
    password: nullish.text,
    group: nullish.text,
    external_id: nullish.text,
    role: nullish.whole,
    quota: nullish.whole,
    quota_delta: nullish.whole,
    ungranted_quota: nullish.whole,
  })
  .transform(({ id, ...body }) => ({
    id,
    patch: {
      username: body.username ?? undefined,
      displayName: body.display_name ?? undefined,
      password: body.password ?? undefined,
      group: body.group || undefined,
      externalId: body.external_id ?? undefined,
      rank: body.role ?? undefined,
      // `quota_delta` takes precedence, because an absolute balance may be outdated.
      ...(body.quota_delta == null
        ? { quota: body.quota ?? undefined, ungrantedQuota: body.ungranted_quota ?? undefined }
        : { quotaDelta: body.quota_delta }),
    },
  }));

/** `POST /api/topup`, with which billing programs of one-api credit a user. */
export const topUpBody = z
  .object({ user_id: z.int32().min(1), quota: z.int().min(1), remark: nullish.text })
  .transform((body) => ({ userId: body.user_id, quota: body.quota, note: body.remark ?? '' }));

/** Clients of one-api name the user; all others send the id. */
export const manageBody = z
  .object({ id: z.int32().min(1).nullish(), username: nullish.text, action: z.string() })
  .refine(({ id, username }) => id != null || username, { path: ['id'], error: 'Required' });
