import { z } from 'zod';
import { camelKeys, pick, snakeKeys } from '../../shared/snake-case.js';
import type { KeyedRedemption } from './redemption.service.js';

const text = z.string().nullish();
const whole = z.int().nullish();

const fieldShape = { name: text, quota: whole, valid_from: whole, valid_until: whole };

/** `POST /api/redemption/`. */
export const createBody = z
  .object({ ...fieldShape, count: whole, is_gift: z.boolean().nullish(), max_uses: whole, key: text })
  .transform(camelKeys);

/** `PUT /api/redemption/`. */
export const updateBody = z
  .object({ ...fieldShape, id: z.int() })
  .transform(({ id, ...body }) => ({ id, fields: camelKeys(body) }));

/** `PUT /api/redemption/?status_only=true`. */
export const statusBody = z
  .object({ id: z.int(), status: whole })
  .transform(({ id, status }) => ({ id, status: status ?? 0 }));

export const idsBody = z.object({ ids: z.array(z.int()).nullish() }).transform(({ ids }) => ids ?? []);

/** `POST /api/user/topup`. */
export const redeemBody = z.object({ key: text }).transform(({ key }) => key ?? '');

/** Returns a code in the REST form (docs/reference/rest/entities.md#redemption-code). */
export const toWire = ({ redemption, key }: KeyedRedemption): Record<string, unknown> => ({
  ...snakeKeys({ ...pick(redemption, ['id', 'userId']), key }),
  ...snakeKeys(pick(redemption, ['status', 'name', 'quota', 'createdTime', 'redeemedTime', 'validFrom', 'validUntil'])),
  count: 0,
  ...snakeKeys(pick(redemption, ['usedUserId', 'isGift', 'maxUses', 'usedCount'])),
  DeletedAt: null,
});
