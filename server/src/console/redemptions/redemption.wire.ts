import { z } from 'zod';
import { dateOf, unixSeconds } from '../../shared/clock.js';
import { InvalidInputError } from '../../shared/errors.js';
import { maxInt32 } from '../../shared/limits.js';
import type { InputOf, NewRedemptions, RedemptionFields } from './redemption-input.js';
import type { RedemptionStatus } from './redemption.entity.js';
import type { KeyedRedemption } from './redemption.service.js';

const text = z.string().nullish();
const whole = z.int().nullish();

const fieldShape = { name: text, quota: whole, valid_from: whole, valid_until: whole };
type WireFields = z.infer<z.ZodObject<typeof fieldShape>>;

/** `POST /api/redemption/`. */
export const createBody = z
  .object({ ...fieldShape, count: whole, is_gift: z.boolean().nullish(), max_uses: whole, key: text })
  .transform((body): InputOf<NewRedemptions> => ({
    ...fieldsOf(body),
    count: body.count,
    isGift: body.is_gift,
    maxUses: body.is_gift ? limitOf(body.max_uses) : null,
    key: body.key,
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
  .object({ id: z.int(), status: whole })
  .transform(({ id, status }) => ({ id, status: statusOf(status) }));

/** @throws InvalidInputError */
function statusOf(status: number | null | undefined): 'enabled' | 'disabled' {
  if (status === 1) return 'enabled';
  if (status === 2) return 'disabled';
  throw new InvalidInputError('A code can be enabled (1) or disabled (2)', 'status');
}

export const idsBody = z.object({ ids: z.array(z.int()).nullish() }).transform(({ ids }) => ids ?? []);

/** `POST /api/user/topup`. */
export const redeemBody = z.object({ key: text }).transform(({ key }) => key ?? '');

const statuses: Readonly<Record<RedemptionStatus, number>> = { enabled: 1, disabled: 2, used: 3 };

/** Returns a code in the REST form (docs/reference/rest/entities.md#redemption-code). */
export const toWire = ({ redemption, key }: KeyedRedemption): Record<string, unknown> => ({
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
  DeletedAt: null,
});
