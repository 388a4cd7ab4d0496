import { z } from 'zod';
import { dateOf, unixSeconds } from '../../shared/clock.js';
import { splitList } from '../../shared/comma-list.js';
import { InvalidInputError } from '../../shared/errors.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { tokenBudgetBody } from '../../billing/budgets/index.js';
import { shownStatus, type TokenFields, type TokenInput } from './token-input.js';
import type { KeyedToken } from './token-keys.service.js';
import type { TokenStatus } from './token.entity.js';

const text = z.string().nullish();
const flag = z.boolean().nullish();
const whole = z.int().nullish();

/** The fields that clients send (docs/reference/rest/tokens-and-wallet.md#api-keys). */
const tokenShape = {
  name: text,
  expired_time: whole,
  remain_quota: whole,
  unlimited_quota: flag,
  model_limits_enabled: flag,
  model_limits: text,
  allow_ips: text,
  group: text,
  fallback_groups: text,
  fallback_models: text,
  rate_limit_enabled: flag,
  rate_limit_period: whole,
  rate_limit_count: whole,
  rate_limit_success: whole,
  scopes: text,
};
type Body = z.infer<z.ZodObject<typeof tokenShape>>;

/**
 * Converts the body. Absent fields count as zero. Those that older clients do not know are undefined instead, which keeps
 * the token's value.
 */
const toInput = (body: Body): TokenInput & Pick<TokenFields, 'remainQuota' | 'unlimitedQuota'> => ({
  name: body.name ?? '',
  expiresAt: fromExpiry(body.expired_time ?? 0),
  remainQuota: body.remain_quota ?? 0,
  unlimitedQuota: body.unlimited_quota ?? false,
  modelLimitsEnabled: body.model_limits_enabled ?? false,
  modelLimits: splitList(body.model_limits ?? ''),
  allowIps: (body.allow_ips ?? '').split(/[\s,]+/).filter(Boolean),
  group: body.group ?? '',
  fallbackGroups: body.fallback_groups == null ? undefined : splitList(body.fallback_groups),
  fallbackModels: body.fallback_models == null ? undefined : splitList(body.fallback_models),
  rateLimit: omitUndefined({
    enabled: body.rate_limit_enabled ?? undefined,
    periodSeconds: body.rate_limit_period ?? undefined,
    calls: body.rate_limit_count ?? undefined,
    successes: body.rate_limit_success ?? undefined,
  }),
  scopes: body.scopes == null ? undefined : splitList(body.scopes),
});

/** @param seconds Unix seconds, -1 never */
const fromExpiry = (seconds: number): Date | null => (seconds === -1 ? null : dateOf(seconds));

/** Several tokens: as many as the largest page of a list has. */
export const idsBody = z.object({ ids: z.array(z.int()).min(1).max(100) });

/** `POST /api/token/`: an expiry of zero means never. */
export const createBody = z
  .object({ ...tokenShape, budgets: z.array(tokenBudgetBody).nullish() })
  .transform(({ budgets, ...body }) => ({
    fields: toInput({ ...body, expired_time: body.expired_time || -1 }),
    budgets: budgets ?? [],
  }));

/** `PUT /api/token/`: replaces the complete token. */
export const updateBody = z
  .object({ ...tokenShape, id: z.int(), status: whole, ungranted_quota: whole })
  .transform(({ id, status, ungranted_quota: ungranted, ...body }) => ({
    id,
    mustEnable: status === wireStatuses.enabled,
    fields: sinceLoaded(toInput(body), ungranted),
  }));

/**
 * Returns the change of a form that contains the token as it was loaded. The remaining quota counts as of that time, so
 * that quota spent since stays spent, and saving the form twice changes nothing more.
 * @param ungranted the remaining quota without the owner's grants when the form was loaded; absent in other clients
 */
function sinceLoaded(input: ReturnType<typeof toInput>, ungranted: number | null | undefined): TokenInput {
  const { remainQuota, unlimitedQuota } = input;
  // A negative number of an unlimited token changes nothing.
  if (ungranted == null || (unlimitedQuota && remainQuota < 0)) return input;
  return { ...input, grantedQuota: remainQuota - ungranted };
}

const wireStatuses: Readonly<Record<TokenStatus, number>> = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 };

/** `PUT /api/token/?status_only=true`. */
export const statusBody = z
  .object({ id: z.int(), status: whole })
  .transform(({ id, status }) => ({ id, status: ownersStatus(status) }));

/** @throws InvalidInputError for the states that only the relay sets */
function ownersStatus(status: number | null | undefined): 'enabled' | 'disabled' {
  if (status === wireStatuses.enabled) return 'enabled';
  if (status === wireStatuses.disabled) return 'disabled';
  throw new InvalidInputError('A token can be enabled (1) or disabled (2)', 'status');
}

/** `POST /api/token/:id/rotate`: 0 or absent ends the old text at once. */
export const rotateBody = z
  .object({ overlap_until: whole })
  .transform(({ overlap_until: until }) => ({ overlapUntil: until ? dateOf(until) : null }));

/** Returns a token in the form for older clients (docs/reference/rest/entities.md#token). Its key has no `sk-`. */
export const toWire = ({ token, key, granted }: KeyedToken): Record<string, unknown> => ({
  id: token.id,
  user_id: token.userId,
  key,
  name: token.name,
  created_time: unixSeconds(token.createdAt),
  accessed_time: unixSeconds(token.lastUsedAt ?? token.createdAt),
  expired_time: token.expiresAt ? unixSeconds(token.expiresAt) : -1,
  remain_quota: token.remainQuota,
  used_quota: token.usedQuota,
  unlimited_quota: token.unlimitedQuota,
  model_limits_enabled: token.modelLimitsEnabled,
  model_limits: token.modelLimits.join(),
  allow_ips: token.allowIps.join('\n'),
  group: token.group,
  fallback_groups: token.fallbackGroups.join(),
  fallback_models: token.fallbackModels.join(),
  rate_limit_enabled: token.rateLimit.enabled,
  rate_limit_period: token.rateLimit.periodSeconds,
  rate_limit_count: token.rateLimit.calls ?? 0,
  rate_limit_success: token.rateLimit.successes ?? 0,
  scopes: token.scopes.join(),
  status: wireStatuses[shownStatus(token)],
  previous_key_until: token.previousKeyUntil ? unixSeconds(token.previousKeyUntil) : 0,
  // The value excludes the grants: forms send it back with their `remain_quota`.
  ungranted_quota: token.remainQuota - granted,
  DeletedAt: null,
});
