import { z } from 'zod';
import type { KeyedToken, TokenFields } from './token.service.js';

const text = z.string().nullish();
const flag = z.boolean().nullish();
const whole = z.int().nullish();

const tokenShape = {
  name: text,
  expired_time: whole,
  remain_quota: whole,
  unlimited_quota: flag,
  model_limits_enabled: flag,
  model_limits: text,
  allow_ips: text,
  group: text,
  rate_limit_enabled: flag,
  rate_limit_period: whole,
  rate_limit_count: whole,
  rate_limit_success: whole,
};

type Body = { readonly [Key in keyof typeof tokenShape]?: z.output<(typeof tokenShape)[Key]> };

type RateLimit = 'rateLimitEnabled' | 'rateLimitPeriod' | 'rateLimitCount' | 'rateLimitSuccess';
type Written = Omit<TokenFields, RateLimit> & { readonly [Key in RateLimit]: TokenFields[Key] | undefined };

/**
 * Absent counts as zero (docs/reference/rest/tokens-and-wallet.md#api-keys), but for what older clients do not know:
 * they must not take it away.
 */
const toFields = (body: Body): Written => ({
  name: body.name ?? '',
  expiredTime: body.expired_time ?? 0,
  remainQuota: body.remain_quota ?? 0,
  unlimitedQuota: body.unlimited_quota ?? false,
  modelLimitsEnabled: body.model_limits_enabled ?? false,
  modelLimits: body.model_limits ?? '',
  allowIps: body.allow_ips ?? '',
  group: body.group ?? '',
  rateLimitEnabled: body.rate_limit_enabled ?? undefined,
  rateLimitPeriod: body.rate_limit_period ?? undefined,
  rateLimitCount: body.rate_limit_count ?? undefined,
  rateLimitSuccess: body.rate_limit_success ?? undefined,
});

/** `POST /api/token/`: an expiry of zero means never. */
export const createBody = z
  .object(tokenShape)
  .transform((body) => toFields({ ...body, expired_time: body.expired_time || -1 }));

/** `PUT /api/token/`: the whole token. */
export const updateBody = z
  .object({ ...tokenShape, id: z.int(), status: whole })
  .transform(({ id, status, ...body }) => ({ id, wantsEnabled: status === 1, fields: toFields(body) }));

/** `PUT /api/token/?status_only=true`. */
export const statusBody = z
  .object({ id: z.int(), status: whole })
  .transform(({ id, status }) => ({ id, status: status ?? 0 }));

/** A token as the old clients read it (docs/reference/rest/entities.md#token); its key goes without `sk-`. */
export const toWire = ({ token, key }: KeyedToken): Record<string, unknown> => ({
  id: token.id,
  user_id: token.userId,
  key,
  status: token.status,
  name: token.name,
  created_time: token.createdTime,
  accessed_time: token.accessedTime,
  expired_time: token.expiredTime,
  remain_quota: token.remainQuota,
  unlimited_quota: token.unlimitedQuota,
  model_limits_enabled: token.modelLimitsEnabled,
  model_limits: token.modelLimits,
  allow_ips: token.allowIps,
  used_quota: token.usedQuota,
  group: token.group,
  rate_limit_enabled: token.rateLimitEnabled,
  rate_limit_period: token.rateLimitPeriod,
  rate_limit_count: token.rateLimitCount,
  rate_limit_success: token.rateLimitSuccess,
  DeletedAt: null,
});
