import { ceilSecond } from '../../shared/clock.js';
import { InvalidInputError } from '../../shared/errors.js';
import { lastSecond } from '../../shared/limits.js';
import { maxQuota, quotaFrom } from '../../shared/quota.js';
import type { Redemption } from './redemption.entity.js';

/** Fields that can be edited. */
export type RedemptionFields = Pick<Redemption, 'name' | 'quota' | 'validFrom' | 'validUntil'>;

/** New codes of one batch. */
export interface NewRedemptions extends RedemptionFields {
  readonly isGift: boolean;
  /** Maximum number of uses of a gift code; null for unlimited. */
  readonly maxUses: number | null;
  /** The plan that the codes give; null for codes that add their quota to the balance. */
  readonly planId: number | null;
  /** Number of codes; 1 with a `key`. */
  readonly count: number;
  /** A custom code. Empty creates random ones. */
  readonly key: string;
}

/** Fields as callers send them. Null means absent, but removes a bound of the validity and the limit of uses. */
export type InputOf<Fields> = { readonly [Field in keyof Fields]?: Fields[Field] | null };

const maxNameLength = 20;
const maxKeyLength = 128;
const maxCodes = 10_000;
const second = 1000;

const unset: RedemptionFields = { name: '', quota: 0, validFrom: null, validUntil: null };

/**
 * Checks the fields of a code. Times are rounded up to whole seconds, the precision of the REST API.
 * @param before values of the absent fields
 * @throws InvalidInputError
 */
export function parseFields(given: InputOf<RedemptionFields>, before = unset): RedemptionFields {
  const name = (given.name ?? before.name).trim();
  const quota = given.quota ?? before.quota;
  const validFrom = given.validFrom === undefined ? before.validFrom : given.validFrom && ceilSecond(given.validFrom);
  const validUntil =
    given.validUntil === undefined ? before.validUntil : given.validUntil && ceilSecond(given.validUntil);
  const length = [...name].length;
  if (length < 1 || length > maxNameLength) throw new InvalidInputError('Name length must be 1-20', 'name');
  if (hasControl(name)) throw new InvalidInputError('Name must not contain control characters', 'name');
  if (!Number.isSafeInteger(quota) || quota < 1 || quota > maxQuota) {
    throw new InvalidInputError(`Quota must be ${quotaFrom(1)}`, 'quota');
  }
  checkValidity(validFrom, validUntil);
  return { name, quota, validFrom, validUntil };
}

/** Compares the first and the last valid second, which the REST API shows. Its zero means that there is no bound. */
function checkValidity(validFrom: Date | null, validUntil: Date | null): void {
  const first = validFrom && validFrom.getTime();
  const last = validUntil && validUntil.getTime() - second;
  const isShown = (time: number | null): boolean => time === null || (time > 0 && time <= lastSecond * second);
  if (!isShown(first)) throw new InvalidInputError('Invalid time', 'validFrom');
  if (!isShown(last)) throw new InvalidInputError('Invalid time', 'validUntil');
  if (first !== null && last !== null && first >= last) {
    throw new InvalidInputError('Start must be before end', 'validFrom');
  }
}

/** @throws InvalidInputError */
export function parseNew(given: InputOf<NewRedemptions>): NewRedemptions {
  const fields = parseFields(given);
  const [key, count] = [(given.key ?? '').trim(), given.count ?? 0];
  if (key.length > maxKeyLength || hasControl(key)) {
    throw new InvalidInputError(
      `A code has at most ${maxKeyLength} characters, none of them control characters`,
      'key',
    );
  }
  if (key === '' && !(Number.isSafeInteger(count) && count > 0)) {
    throw new InvalidInputError('Count must be above 0', 'count');
  }
  if (key === '' && count > maxCodes) throw new InvalidInputError(`Count must not exceed ${maxCodes}`, 'count');
  const isGift = given.isGift ?? false;
  const maxUses = isGift ? (given.maxUses ?? null) : null;
  if (maxUses !== null && maxUses < 1) {
    throw new InvalidInputError('Maximum uses must be above 0', 'maxUses');
  }
  return { ...fields, isGift, maxUses, planId: given.planId ?? null, key, count: key === '' ? count : 1 };
}

// eslint-disable-next-line no-control-regex -- the pattern is about control characters
const hasControl = (text: string): boolean => /[\u0000-\u001f\u007f]|\p{Surrogate}/u.test(text);
