import { z } from 'zod';
import { RestAnswer } from '../../platform/http/rest.js';
import type { ErrorCode } from '../../shared/errors.js';
import { camelKeys, pick, snakeKeys } from '../../shared/snake-case.js';
import type { User } from './user.entity.js';

/** Fields that have the same name in REST, in snake case. */
const sameFields = [
  'username',
  'displayName',
  'role',
  'status',
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
  'inviterId',
  'setting',
] as const;

const emptyUser = {
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
  /** The access token. It is only set in the caller's own user. */
  access_token: null as string | null,
  quota: 0,
  used_quota: 0,
  request_count: 0,
  group: '',
  aff_code: '',
  aff_count: 0,
  aff_quota: 0,
  aff_history_quota: 0,
  inviter_id: 0,
  DeletedAt: null as string | null,
  linux_do_id: '',
  setting: '',
  last_check_in_time: null as string | null,
};

/** A user in the REST shape (docs/reference/rest/entities.md#user). Every key is always present. */
export type WireUser = typeof emptyUser;

export const toWire = (user: User, accessToken: string | null = null): WireUser => ({
  ...emptyUser,
  id: user.id,
  ...snakeKeys(pick(user, sameFields)),
  access_token: accessToken,
  aff_code: user.affCode ?? '',
  DeletedAt: user.deletedAt?.toISOString() ?? null,
  last_check_in_time: user.lastCheckInTime?.toISOString() ?? null,
});

/**
 * Returns a user in the form for admins. Forms send `ungranted_quota`, the balance without the grants of this admin,
 * back with their `quota`.
 */
export const toAdminWire = (user: User, granted: number): WireUser & { readonly ungranted_quota: number } => ({
  ...toWire(user),
  ungranted_quota: user.quota - granted,
});

const signInFields = ['id', 'username', 'displayName', 'role', 'status', 'group'] as const;

/** Returns the sign-in response, which has only six fields. */
export const toSignInWire = (user: User): WireUser => ({ ...emptyUser, ...snakeKeys(pick(user, signInFields)) });

/** Returns the response of a sign-in: the user, or a refusal that names the missing second factor. */
export const signInAnswer = ({
  user,
  needsSecondFactor,
}: {
  readonly user: User;
  readonly needsSecondFactor: boolean;
}): WireUser | RestAnswer =>
  needsSecondFactor
    ? new RestAnswer({
        success: false,
        message: 'Enter the code of your second factor',
        code: 'SECOND_FACTOR_NEEDED' satisfies ErrorCode,
        data: { require_2fa: true },
      })
    : toSignInWire(user);

/** Returns the response of an admin's action, which has only two fields. */
export const toManagedWire = ({ role, status }: User): WireUser => ({ ...emptyUser, role, status });

const text = z.string().nullish();
const whole = z.int().nullish();

/** `POST /api/user/login/2fa`. */
export const codeBody = z.object({ code: z.string().max(64) });

export const loginBody = z.object({ username: z.string(), password: z.string() });

export const selfBody = z
  .object({ username: text, display_name: text, password: text, original_password: text })
  .transform(camelKeys);

/** The stored setting is replaced, so an absent secret removes it. */
export const settingBody = z
  .object({
    notify_type: text,
    quota_warning_threshold: z.number().nullish(),
    webhook_url: text,
    webhook_secret: text,
    notification_email: text,
    accept_unset_model_ratio_model: z.boolean().nullish(),
  })
  .transform((body) => ({ ...camelKeys(body), webhookSecret: body.webhook_secret ?? '' }));

export const createBody = z
  .object({ username: z.string().trim().min(1), password: z.string().min(1), display_name: text, role: whole })
  .transform((body) => ({
    username: body.username,
    password: body.password,
    displayName: body.display_name || undefined,
    role: body.role ?? undefined,
  }));

export const updateBody = z
  .object({
    id: z.int32().min(1),
    username: text,
    display_name: text,
    password: text,
    group: text,
    role: whole,
    quota: whole,
    quota_delta: whole,
    ungranted_quota: whole,
  })
  .transform(({ id, ...body }) => ({
    id,
    patch: {
      username: body.username ?? undefined,
      displayName: body.display_name ?? undefined,
      password: body.password ?? undefined,
      group: body.group || undefined,
      role: body.role ?? undefined,
      // `quota_delta` takes precedence, because an absolute balance may be outdated.
      ...(body.quota_delta == null
        ? { quota: body.quota ?? undefined, ungrantedQuota: body.ungranted_quota ?? undefined }
        : { quotaDelta: body.quota_delta }),
    },
  }));

/** `POST /api/topup`, with which billing programs of one-api credit a user. */
export const topUpBody = z
  .object({ user_id: z.int32().min(1), quota: z.int().min(1), remark: text })
  .transform((body) => ({ userId: body.user_id, quota: body.quota, note: body.remark ?? '' }));

/** Clients of one-api name the user; all others send the id. */
export const manageBody = z
  .object({ id: z.int32().min(1).nullish(), username: text, action: z.string() })
  .refine(({ id, username }) => id != null || username, { path: ['id'], error: 'Required' });
