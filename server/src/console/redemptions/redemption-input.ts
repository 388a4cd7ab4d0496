import { InvalidInputError } from '../../shared/errors.js';
import { maxQuota, quotaFrom } from '../../shared/quota.js';
import type { Redemption } from './redemption.entity.js';
import { maxInt32 } from '../../shared/limits.js';

/** Fields that can be edited. */
export type RedemptionFields = Pick<Redemption, 'name' | 'quota' | 'validFrom' | 'validUntil'>;

export interface NewRedemptions extends RedemptionFields {
  readonly isGift: boolean;
  /** Maximum number of uses; -1 or 0 for unlimited. */
  readonly maxUses: number;
  /** Number of codes; ignored with a `key`. */
  readonly count: number;
  /** A custom code. Empty creates random ones. */
  readonly key: string;
}

export const newRedemptionDefaults: NewRedemptions = {
  name: '',
  quota: 0,
  validFrom: 0,
  validUntil: 0,
  isGift: false,
  maxUses: -1,
  count: 0,
  key: '',
};

const maxNameLength = 20;
const maxKeyLength = 128;
const maxConcurrent = 100;
const latestTime = 253_402_300_799;

/** @throws InvalidInputError */
export function parseFields(fields: RedemptionFields): RedemptionFields {
  const name = fields.name.trim();
  const length = [...name].length;
  if (length < 1 || length > maxNameLength) throw new InvalidInputError('Name length must be 1-20', 'name');
  if (hasControl(name)) throw new InvalidInputError('Name must not contain control characters', 'name');
  if (!Number.isSafeInteger(fields.quota) || fields.quota < 1 || fields.quota > maxQuota) {
    throw new InvalidInputError(`Quota must be ${quotaFrom(1)}`, 'quota');
  }
  for (const field of ['validFrom', 'validUntil'] as const) {
    const time = fields[field];
    if (!Number.isSafeInteger(time) || time < 0 || time > latestTime) {
      throw new InvalidInputError('Invalid time', field);
    }
  }
  if (fields.validFrom > 0 && fields.validUntil > 0 && fields.validFrom >= fields.validUntil) {
    throw new InvalidInputError('Start must be before end', 'validFrom');
  }
  return { name, quota: fields.quota, validFrom: fields.validFrom, validUntil: fields.validUntil };
}

/** @throws InvalidInputError */
export function parseNew(given: NewRedemptions): NewRedemptions {
  const fields = parseFields(given);
  const key = given.key.trim();
  if (key.length > maxKeyLength || hasControl(key)) {
    throw new InvalidInputError(
      `A code has at most ${maxKeyLength} characters, none of them control characters`,
      'key',
    );
  }
  if (key === '' && !(Number.isSafeInteger(given.count) && given.count > 0)) {
    throw new InvalidInputError('Count must be above 0', 'count');
  }
  if (key === '' && given.count > maxConcurrent) throw new InvalidInputError('Count must not exceed 100', 'count');
  const maxUses = given.isGift && given.maxUses !== 0 ? given.maxUses : -1;
  if (maxUses !== -1 && !(Number.isSafeInteger(maxUses) && maxUses > 0 && maxUses <= maxInt32)) {
    throw new InvalidInputError('Maximum uses must be above 0, or -1 for no limit', 'maxUses');
  }
  return { ...fields, isGift: given.isGift, maxUses, key, count: key === '' ? given.count : 1 };
}

// eslint-disable-next-line no-control-regex -- the pattern is about control characters
const hasControl = (text: string): boolean => /[\u0000-\u001f\u007f]|\p{Surrogate}/u.test(text);
