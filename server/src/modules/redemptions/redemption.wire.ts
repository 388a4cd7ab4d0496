import { z } from 'zod';
import type { NewRedemptions, RedemptionFields } from './redemption-input.js';
import type { KeyedRedemption } from './redemption.service.js';

const text = z.string().nullish();
const whole = z.int().nullish();

const fieldShape = { name: text, quota: whole, valid_from: whole, valid_until: whole };

type FieldBody = { readonly [Key in keyof typeof fieldShape]?: z.output<(typeof fieldShape)[Key]> };

const toFields = (body: FieldBody): Partial<RedemptionFields> => ({
  name: body.name ?? undefined,
  quota: body.quota ?? undefined,
  validFrom: body.valid_from ?? undefined,
  validUntil: body.valid_until ?? undefined,
});

/** `POST /api/redemption/`. */
export const createBody = z
  .object({ ...fieldShape, count: whole, is_gift: z.boolean().nullish(), max_uses: whole, key: text })
  .transform(({ count, is_gift, max_uses, key, ...body }): Partial<NewRedemptions> => ({
    ...toFields(body),
    count: count ?? undefined,
    isGift: is_gift ?? undefined,
    maxUses: max_uses ?? undefined,
    key: key ?? undefined,
  }));

/** `PUT /api/redemption/`. */
export const updateBody = z
  .object({ ...fieldShape, id: z.int() })
  .transform(({ id, ...body }) => ({ id, fields: toFields(body) }));

/** `PUT /api/redemption/?status_only=true`. */
export const statusBody = z
  .object({ id: z.int(), status: whole })
  .transform(({ id, status }) => ({ id, status: status ?? 0 }));

export const idsBody = z.object({ ids: z.array(z.int()).nullish() }).transform(({ ids }) => ids ?? []);

/** `POST /api/user/topup`. */
export const redeemBody = z.object({ key: text }).transform(({ key }) => key ?? '');

/** A code in the REST form (docs/reference/rest/entities.md#redemption-code). */
export const toWire = ({ redemption, key }: KeyedRedemption): Record<string, unknown> => ({
  id: redemption.id,
  user_id: redemption.userId,
  key,
  status: redemption.status,
  name: redemption.name,
  quota: redemption.quota,
  created_time: redemption.createdTime,
  redeemed_time: redemption.redeemedTime,
  valid_from: redemption.validFrom,
  valid_until: redemption.validUntil,
  count: 0,
  used_user_id: redemption.usedUserId,
  is_gift: redemption.isGift,
  max_uses: redemption.maxUses,
  used_count: redemption.usedCount,
  DeletedAt: null,
});
