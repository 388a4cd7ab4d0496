import { exact } from '../shared/price-card.js';

/** The programs of this family sell a dollar for so many units unless a site has saved another number. */
const usual = 500_000;

/** Returns the quota units of a dollar in the source program. */
export const quotaPerUnitOf = (options: ReadonlyMap<string, string>): number =>
  Number(options.get('QuotaPerUnit')) || usual;

/** Returns the USD of a million tokens at a ratio, which is the number of quota units of a token. */
export const usdOfRatio = (ratio: number, quotaPerUnit: number): number => exact((ratio * 1_000_000) / quotaPerUnit);
