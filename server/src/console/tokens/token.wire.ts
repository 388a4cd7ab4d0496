import { z } from 'zod';
import { flag, int, named, nullish, quota, seconds, text } from '../../platform/http/openapi/operation.js';
import { dateOf, unixSeconds } from '../../shared/clock.js';
import { splitList, splitNames } from '../../shared/comma-list.js';
import { InvalidInputError } from '../../shared/errors.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { tokenBudgetBody } from '../../billing/budgets/index.js';
import { shownStatus, type TokenFields, type TokenInput } from './token-input.js';
import type { KeyedToken } from './token-keys.service.js';
import type { TokenStatus } from '../../billing/accounts/index.js';

/** The fields that clients send (docs/reference/rest/tokens-and-wallet.md#api-keys). */
const bodyShape = {
  name: nullish.text,
  expired_time: nullish.whole,
  remain_quota: nullish.whole,
  unlimited_quota: nullish.flag,
  model_limits_enabled: nullish.flag,
  model_limits: nullish.text,
  allow_ips: nullish.text,
  group: nullish.text,
  fallback_groups: nullish.text,
  fallback_models: nullish.text,
  rate_limit_enabled: nullish.flag,
  rate_limit_period: nullish.whole,
  rate_limit_count: nullish.whole,
  rate_limit_success: nullish.whole,
  scopes: nullish.text,
};
type Body = z.infer<z.ZodObject<typeof bodyShape>>;

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
  modelLimits: splitNames(body.model_limits ?? ''),
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
  .object({
    ...bodyShape,
    budgets: z.array(tokenBudgetBody).nullish(),
    project_id: nullish.whole,
    is_shared: nullish.flag,
  })
  .transform(({ budgets, project_id: projectId, is_shared: isShared, ...body }) => ({
    place: { projectId: projectId || undefined, isShared: isShared ?? undefined },
    fields: toInput({ ...body, expired_time: body.expired_time || -1 }),
    budgets: budgets ?? [],
  }));

/** `PUT /api/token/`: replaces the complete token. */
export const updateBody = z
  .object({ ...bodyShape, id: z.int(), status: nullish.whole, ungranted_quota: nullish.whole })
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

/** `PUT /api/key`: a part of a key. Absent fields keep their value. */
export const patchBody = z
  .object({ ...bodyShape, id: z.int().min(1), status: nullish.whole })
  .transform(({ id, status, ...body }) => {
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value != null)) as Body;
    const all: Readonly<Record<string, unknown>> = toInput(given);
    const names = Object.keys(given).map((name) => fieldNames[name] ?? name);
    const fields: TokenInput = Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
    return { id, fields: omitUndefined({ ...fields, status: status == null ? undefined : ownersStatus(status) }) };
  });

/** Names of fields of the body in `TokenInput`. */
const fieldNames: Readonly<Record<string, keyof TokenInput>> = {
  expired_time: 'expiresAt',
  remain_quota: 'remainQuota',
  unlimited_quota: 'unlimitedQuota',
  model_limits_enabled: 'modelLimitsEnabled',
  model_limits: 'modelLimits',
  allow_ips: 'allowIps',
  fallback_groups: 'fallbackGroups',
  fallback_models: 'fallbackModels',
  rate_limit_enabled: 'rateLimit',
  rate_limit_period: 'rateLimit',
  rate_limit_count: 'rateLimit',
  rate_limit_success: 'rateLimit',
};

const wireStatuses: Readonly<Record<TokenStatus, number>> = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 };

/** `PUT /api/token/?status_only=true`. */
export const statusBody = z
  .object({ id: z.int(), status: nullish.whole })
  .transform(({ id, status }) => ({ id, status: ownersStatus(status) }));

/** @throws InvalidInputError for the states that only the relay sets */
function ownersStatus(status: number | null | undefined): 'enabled' | 'disabled' {
  if (status === wireStatuses.enabled) return 'enabled';
  if (status === wireStatuses.disabled) return 'disabled';
  throw new InvalidInputError('A token can be enabled (1) or disabled (2)', 'status');
}

/** `POST /api/token/:id/rotate`: 0 or absent ends the old text at once. */
export const rotateBody = z
  .object({ overlap_until: nullish.whole })
  .transform(({ overlap_until: until }) => ({ overlapUntil: until ? dateOf(until) : null }));

/** A token in the form for older clients (docs/reference/rest/entities.md#token). */
export const tokenShape = named('Token', 'An API key with its limits.', {
  id: int('Id'),
  user_id: int('Owner'),
  member_id: int('The member of an organisation for whom the key was made, or 0'),
  project_id: int('The project of an organisation that its calls belong to, or 0'),
  key: text('The key, generated, without `sk-`. Only its first characters where a confirmation is needed'),
  status: int('1 enabled, 2 disabled, 3 expired, 4 exhausted'),
  name: text('Required, at most 30 characters'),
  created_time: seconds('Created'),
  accessed_time: seconds('Last used'),
  expired_time: seconds('Expiry, or -1 for never'),
  remain_quota: quota('What the key may still spend. The balance of its owner is checked besides'),
  used_quota: quota('Charged so far'),
  ungranted_quota: int(
    'The remaining quota without what the owner has granted: of a key that was granted 1,000 and spent 300 it is -300. Forms send it back',
  ),
  unlimited_quota: flag('The key has no limit of its own'),
  model_limits_enabled: flag('Only the models in `model_limits` may be called'),
  model_limits: text('Model names, separated by commas'),
  allow_ips: text('One address or range per line; empty for all'),
  group: text('Group that the owner may use; empty for that of the owner'),
  fallback_groups: text('At most 10 groups to try after that of the key, in order, separated by commas'),
  fallback_models: text('At most 10 models to try after the one of a call, in order, separated by commas'),
  rate_limit_enabled: flag('The key has a rate limit of its own'),
  rate_limit_period: int('Seconds of the rate limit, 60 by default'),
  rate_limit_count: int('Calls in the period, 1,000 by default'),
  rate_limit_success: int('Successful calls in the period, 10 by default'),
  scopes: text('What the key may do, separated by commas: `relay` and `usage`, the default, and `keys`'),
  previous_key_until: seconds('The text before the last rotation works until then; 0 when there is none'),
  DeletedAt: z.null(),
});

export const toWire = ({ token, key, granted }: KeyedToken): z.output<typeof tokenShape> => ({
  id: token.id,
  user_id: token.userId,
  member_id: token.memberId,
  project_id: token.projectId,
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
