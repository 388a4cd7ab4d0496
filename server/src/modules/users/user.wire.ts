import { z } from 'zod';
import type { User } from './user.entity.js';

/** A user in the REST shape (docs/reference/rest/entities.md#user). Every key is always present. */
export interface WireUser {
  id: number;
  username: string;
  password: '';
  display_name: string;
  role: number;
  status: number;
  email: string;
  github_id: string;
  oidc_id: string;
  wechat_id: string;
  telegram_id: string;
  verification_code: '';
  /** Only in the caller's own user. */
  access_token: string | null;
  quota: number;
  used_quota: number;
  request_count: number;
  group: string;
  aff_code: string;
  aff_count: number;
  aff_quota: number;
  aff_history_quota: number;
  inviter_id: number;
  DeletedAt: string | null;
  linux_do_id: string;
  setting: string;
  last_check_in_time: string | null;
}

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

export const toWire = (user: User, accessToken: string | null = null): WireUser => ({
  ...emptyUser,
  id: user.id,
  username: user.username,
  display_name: user.displayName,
  role: user.role,
  status: user.status,
  email: user.email,
  github_id: user.githubId,
  oidc_id: user.oidcId,
  wechat_id: user.wechatId,
  telegram_id: user.telegramId,
  linux_do_id: user.linuxDoId,
  access_token: accessToken,
  quota: user.quota,
  used_quota: user.usedQuota,
  request_count: user.requestCount,
  group: user.group,
  aff_code: user.affCode ?? '',
  aff_count: user.affCount,
  aff_quota: user.affQuota,
  aff_history_quota: user.affHistoryQuota,
  inviter_id: user.inviterId,
  DeletedAt: user.deletedAt?.toISOString() ?? null,
  setting: user.setting,
  last_check_in_time: user.lastCheckInTime?.toISOString() ?? null,
});

/** The sign-in response fills only six fields. */
export const toSignInWire = ({ id, username, displayName, role, status, group }: User): WireUser => ({
  ...emptyUser,
  id,
  username,
  display_name: displayName,
  role,
  status,
  group,
});

/** The response of an admin's action fills only two fields. */
export const toManagedWire = ({ role, status }: User): WireUser => ({ ...emptyUser, role, status });

const text = z.string().nullish();
const whole = z.int().nullish();

export const loginBody = z.object({ username: z.string(), password: z.string() });

export const selfBody = z
  .object({ username: text, display_name: text, password: text, original_password: text })
  .transform((body) => ({
    username: body.username ?? undefined,
    displayName: body.display_name ?? undefined,
    password: body.password ?? undefined,
    originalPassword: body.original_password ?? undefined,
  }));

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
  .transform((body) => ({
    notifyType: body.notify_type ?? undefined,
    quotaWarningThreshold: body.quota_warning_threshold ?? undefined,
    webhookUrl: body.webhook_url ?? undefined,
    webhookSecret: body.webhook_secret ?? '',
    notificationEmail: body.notification_email ?? undefined,
    acceptUnsetModelRatioModel: body.accept_unset_model_ratio_model ?? undefined,
  }));

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
  })
  .transform(({ id, ...body }) => ({
    id,
    patch: {
      username: body.username ?? undefined,
      displayName: body.display_name ?? undefined,
      password: body.password ?? undefined,
      group: body.group || undefined,
      role: body.role ?? undefined,
      // `quota_delta` takes precedence: an absolute balance may be outdated.
      ...(body.quota_delta == null ? { quota: body.quota ?? undefined } : { quotaDelta: body.quota_delta }),
    },
  }));

export const manageBody = z.object({ id: z.int32().min(1), action: z.string() });
