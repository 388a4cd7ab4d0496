import { z } from 'zod';
import { dateOf, unixSeconds } from '../../shared/clock.js';
import { InvalidInputError } from '../../shared/errors.js';
import { maxInt32 } from '../../shared/limits.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { flag, int, named, nullish, parameter, quota, seconds, text } from '../../platform/http/openapi/operation.js';
import type { InputOf, NewRedemptions, RedemptionFields } from './redemption-input.js';
import type { RedemptionFilter } from './redemption-query.js';
import type { RedemptionStatus } from './redemption.entity.js';
import type { KeyedRedemption } from './redemption-csv.js';

const statuses: Readonly<Record<RedemptionStatus, number>> = { enabled: 1, disabled: 2, used: 3 };

/** A code in the REST form (docs/reference/rest/entities.md#redemption-code). */
export const redemptionShape = named('RedemptionCode', 'A code that adds to a balance.', {
  id: int('Id'),
  user_id: int('Admin who made it'),
  key: text('The code, generated or chosen'),
  status: int('1 unused, 2 disabled, 3 used'),
  name: text('Name of the batch, 1 to 20 characters'),
  quota: quota('Worth, above 0'),
  created_time: seconds('Created'),
  redeemed_time: seconds('Redeemed, or 0'),
  valid_from: seconds('First valid second; 0 for no bound'),
  valid_until: seconds('Last valid second; 0 for no bound'),
  count: int('How many codes to create, 1 to 10,000. Always 0 in responses'),
  used_user_id: int('User who redeemed it, or 0'),
  is_gift: flag('Many users may redeem it, each once'),
  max_uses: int('Uses of a gift code; -1 for no limit'),
  used_count: int('Uses so far'),
  plan_id: int('The plan that it gives; absent for codes that add to the balance').optional(),
  DeletedAt: z.null(),
});

const fieldShape = {
  name: nullish.text,
  quota: nullish.whole,
  valid_from: nullish.whole,
  valid_until: nullish.whole,
};
type WireFields = z.infer<z.ZodObject<typeof fieldShape>>;

/** `POST /api/redemption/`. */
export const createBody = z
  .object({
    ...fieldShape,
    count: nullish.whole,
    is_gift: nullish.flag,
    max_uses: nullish.whole,
    key: nullish.text,
    plan_id: nullish.whole,
  })
  .transform((body): InputOf<NewRedemptions> => ({
    ...fieldsOf(body),
    count: body.count,
    isGift: body.is_gift,
    maxUses: body.is_gift ? limitOf(body.max_uses) : null,
    key: body.key,
    planId: body.plan_id,
  }));

/** `PUT /api/redemption/`. */
export const updateBody = z
  .object({ ...fieldShape, id: z.int() })
  .transform(({ id, ...body }) => ({ id, fields: fieldsOf(body) }));

const fieldsOf = ({ name, quota, valid_from, valid_until }: WireFields): InputOf<RedemptionFields> => ({
  name,
  quota,
  validFrom: timeOf(valid_from),
  // The wire has the last valid second.
  validUntil: timeOf(valid_until, 1),
});

/** Null means absent, 0 no bound. */
const timeOf = (seconds: number | null | undefined, later = 0): Date | null | undefined =>
  seconds ? dateOf(seconds + later) : seconds === 0 ? null : undefined;

/** 0 and -1 mean that there is no limit. @throws InvalidInputError */
function limitOf(uses: number | null | undefined): number | null {
  if (!uses || uses === -1) return null;
  if (uses > 0 && uses <= maxInt32) return uses;
  throw new InvalidInputError('Maximum uses must be above 0, or -1 for no limit', 'maxUses');
}

/** `PUT /api/redemption/?status_only=true`. */
export const statusBody = z
  .object({ id: z.int(), status: nullish.whole })
  .transform(({ id, status }) => ({ id, status: statusOf(status) }));

/** @throws InvalidInputError */
function statusOf(status: number | null | undefined): 'enabled' | 'disabled' {
  if (status === statuses.enabled) return 'enabled';
  if (status === statuses.disabled) return 'disabled';
  throw new InvalidInputError('A code can be enabled (1) or disabled (2)', 'status');
}

export const idsBody = z.object({ ids: z.array(z.int()).nullish() }).transform(({ ids }) => ids ?? []);

/** `GET /api/redemption/export`. */
export const exportQuery = {
  name: parameter.words('The exact name of a batch'),
  keyword: parameter.words('Beginning of the name, an id, or a whole code'),
  status: parameter.whole('1 unused, 2 disabled, 3 used'),
};

/** Empty and unknown parameters do not restrict. */
export function toFilter({ name, keyword, status }: z.output<z.ZodObject<typeof exportQuery>>): RedemptionFilter {
  const wanted = Object.entries(statuses).flatMap(([word, number]) => (number === status ? [word] : []));
  return omitUndefined({
    name: name || undefined,
    keyword: keyword || undefined,
    statuses: wanted.length > 0 ? (wanted as RedemptionStatus[]) : undefined,
  });
}

/** `POST /api/user/topup`. */
export const redeemBody = z.object({ key: nullish.text }).transform(({ key }) => key ?? '');

export const toWire = ({ redemption, key }: KeyedRedemption): z.output<typeof redemptionShape> => ({
  id: redemption.id,
  user_id: redemption.userId,
  key,
  status: statuses[redemption.status],
  name: redemption.name,
  quota: redemption.quota,
  created_time: unixSeconds(redemption.createdAt),
  redeemed_time: redemption.redeemedAt ? unixSeconds(redemption.redeemedAt) : 0,
  valid_from: redemption.validFrom ? unixSeconds(redemption.validFrom) : 0,
  valid_until: redemption.validUntil ? unixSeconds(redemption.validUntil) - 1 : 0,
  count: 0,
  used_user_id: redemption.usedUserId ?? 0,
  is_gift: redemption.isGift,
  max_uses: redemption.maxUses ?? -1,
  used_count: redemption.usedCount,
  plan_id: redemption.planId ?? undefined,
  DeletedAt: null,
});
