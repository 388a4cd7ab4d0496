import { z } from 'zod';
import { InvalidInputError } from '../../shared/errors.js';
import { pick, snakeCase, snakeKeys } from '../../shared/snake-case.js';
import { tokenBudgetBody } from '../../billing/budgets/index.js';
import { newTokenDefaults, shownStatus, tokenFieldNames } from './token-input.js';
import type { KeyedToken, TokenPatch } from './token.service.js';
import type { TokenFields } from './token-input.js';
import type { TokenStatus } from './token.entity.js';

const whole = z.int().nullish();
const shapeOf = { string: z.string().nullish(), boolean: z.boolean().nullish(), number: whole } as const;

/** The fields of `newTokenDefaults` under their wire names, each of the type of its default. */
const tokenShape = Object.fromEntries(
  tokenFieldNames.map((name) => [
    snakeCase(name),
    shapeOf[typeof newTokenDefaults[name] as 'string' | 'boolean' | 'number'],
  ]),
);

/** Values of absent fields. Undefined keeps the token's value: older clients do not know these fields. */
const absent = {
  ...newTokenDefaults,
  expiredTime: 0,
  fallbackGroups: undefined,
  fallbackModels: undefined,
  rateLimitEnabled: undefined,
  rateLimitPeriod: undefined,
  rateLimitCount: undefined,
  rateLimitSuccess: undefined,
  scopes: undefined,
};

type Body = Readonly<Record<string, unknown>>;

/** Converts the body. Absent fields count as zero (docs/reference/rest/tokens-and-wallet.md#api-keys). */
const toFields = (body: Body): Partial<TokenFields> =>
  Object.fromEntries(tokenFieldNames.map((name) => [name, body[snakeCase(name)] ?? absent[name]]));

/** Several tokens: as many as the largest page of a list has. */
export const idsBody = z.object({ ids: z.array(z.int()).min(1).max(100) });

/** `POST /api/token/`: an expiry of zero means never. */
export const createBody = z
  .object({ ...tokenShape, budgets: z.array(tokenBudgetBody).nullish() })
  .transform(({ budgets, ...body }) => ({
    fields: toFields({ ...body, expired_time: (body as Body)['expired_time'] || -1 }),
    budgets: budgets ?? [],
  }));

/** `PUT /api/token/`: replaces the complete token. */
export const updateBody = z
  .object({ ...tokenShape, id: z.int(), status: whole, ungranted_quota: whole })
  .transform(({ id, status, ungranted_quota: ungranted, ...body }) => ({
    id,
    mustEnable: status === wireStatuses.enabled,
    fields: sinceLoaded(toFields(body), ungranted),
  }));

/**
 * Returns the change of a form that contains the token as it was loaded. The remaining quota counts as of that time, so
 * that quota spent since stays spent, and saving the form twice changes nothing more.
 * @param ungranted the remaining quota without the owner's grants when the form was loaded; absent in other clients
 */
function sinceLoaded(fields: Partial<TokenFields>, ungranted: number | null | undefined): TokenPatch {
  const { remainQuota = 0, unlimitedQuota } = fields;
  // A negative number of an unlimited token changes nothing.
  if (ungranted == null || (unlimitedQuota && remainQuota < 0)) return fields;
  return { ...fields, grantedQuota: remainQuota - ungranted };
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
  .transform(({ overlap_until: until }) => ({ overlapUntil: until || null }));

/** Returns a token in the form for older clients (docs/reference/rest/entities.md#token). Its key has no `sk-`. */
export const toWire = ({ token, key, granted }: KeyedToken): Record<string, unknown> => ({
  ...snakeKeys({ ...pick(token, ['id', 'userId']), key }),
  ...snakeKeys(pick(token, ['name', 'createdTime', 'accessedTime', 'usedQuota', ...tokenFieldNames])),
  status: wireStatuses[shownStatus(token)],
  previous_key_until: token.previousKeyUntil,
  // The value excludes the grants: forms send it back with their `remain_quota`.
  ungranted_quota: token.remainQuota - granted,
  DeletedAt: null,
});
