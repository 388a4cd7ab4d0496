/**
 * Quota is an integer credit: `quotaPerUnit` of it (option QuotaPerUnit, default 500000) are one USD.
 * In the database it is `bigint` with checks, in formulas decimal (`modules/pricing/charge.ts`).
 */
export const maxQuota = 9_000_000_000_000_000;

/** True for an integer amount that the ledger can store. */
export const isQuota = (amount: number): boolean => Number.isSafeInteger(amount) && Math.abs(amount) <= maxQuota;

/**
 * `$0.200000 quota`, or `100000 points` when currency display is off
 * (docs/reference/rest/notifications.md#amounts-in-texts).
 */
export function formatQuota(quota: number, options: { quotaPerUnit: number; inCurrency: boolean }): string {
  if (!options.inCurrency) return `${quota} points`;
  const usd = quota / options.quotaPerUnit;
  return `${usd < 0 ? '-' : ''}$${Math.abs(usd).toFixed(6)} quota`;
}
