import { z } from 'zod';
import { camelKeys, pick, snakeKeys } from '../../shared/snake-case.js';
import type { UserPatch } from './user-input.service.js';
import type { User } from './user.entity.js';

/** Fields that the REST shape has under their own names, in snake case. */
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
  /** Only in the caller's own user. */
  access_token: null as string | null,
  quota: 0,
  /** The same number again. Forms send it back, which shows what their `quota` was before it was edited. */
  loaded_quota: 0,
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
  loaded_quota: user.quota,
  access_token: accessToken,
  aff_code: user.affCode ?? '',
  DeletedAt: user.deletedAt?.toISOString() ?? null,
  last_check_in_time: user.lastCheckInTime?.toISOString() ?? null,
});

const signInFields = ['id', 'username', 'displayName', 'role', 'status', 'group'] as const;

/** The sign-in response fills only six fields. */
export const toSignInWire = (user: User): WireUser => ({ ...emptyUser, ...snakeKeys(pick(user, signInFields)) });

/** The response of an admin's action fills only two fields. */
export const toManagedWire = ({ role, status }: User): WireUser => ({ ...emptyUser, role, status });

const text = z.string().nullish();
const whole = z.int().nullish();

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
    loaded_quota: whole,
  })
  .transform(({ id, ...body }) => ({
    id,
    patch: {
      username: body.username ?? undefined,
      displayName: body.display_name ?? undefined,
      password: body.password ?? undefined,
      group: body.group || undefined,
      role: body.role ?? undefined,
      ...balanceChange(body),
    },
  }));

/**
 * The change of a balance. An absolute number of a form is outdated when calls were charged after the form was loaded, so
 * only its difference to the loaded one counts. `quota_delta` takes precedence.
 */
function balanceChange(body: {
  readonly quota?: number | null | undefined;
  readonly quota_delta?: number | null | undefined;
  readonly loaded_quota?: number | null | undefined;
}): Pick<UserPatch, 'quota' | 'quotaDelta'> {
  if (body.quota_delta != null) return { quotaDelta: body.quota_delta };
  if (body.quota == null) return {};
  return body.loaded_quota == null ? { quota: body.quota } : { quotaDelta: body.quota - body.loaded_quota };
}

/** Clients of one-api name the user; all others send the id. */
export const manageBody = z
  .object({ id: z.int32().min(1).nullish(), username: text, action: z.string() })
  .refine(({ id, username }) => id != null || username, { path: ['id'], error: 'Required' });
