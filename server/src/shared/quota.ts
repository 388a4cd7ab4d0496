/**
 * Quota is an integer credit: `quotaPerUnit` of it (option QuotaPerUnit, default 500000) are one USD. In the database it is
 * `bigint` with checks, because `numeric` columns are slow and arrive as text; JavaScript numbers hold this range exactly.
 * Formulas are decimal and round once (`billing/prices/card-charge.ts`), because floating-point formulas lose units.
 */
export const maxQuota = 9_000_000_000_000_000;

/** The amount that stands for "without limit" in what an import brings. Sums of several such amounts are exact numbers. */
export const amountWithoutLimit = 1_000_000_000_000_000;

/** Returns the accepted amounts as words for a message. */
export const quotaFrom = (low: number): string => `a whole number from ${low} to ${maxQuota}`;

/** True for an integer amount that the ledger can store. */
export const isQuota = (amount: number): boolean => Number.isSafeInteger(amount) && Math.abs(amount) <= maxQuota;

/** Options for the display of amounts. */
interface QuotaDisplay {
  readonly QuotaPerUnit: number;
  readonly DisplayInCurrencyEnabled: boolean;
}

/**
 * `$0.200000 quota`, or `100000 points` when currency display is off
 * (docs/reference/rest/notifications.md#amounts-in-texts).
 * @param values the options of the site
 */
export function formatQuota(quota: number, values: QuotaDisplay): string {
  if (!values.DisplayInCurrencyEnabled) return `${quota} points`;
  const usd = quota / values.QuotaPerUnit;
  return `${usd < 0 ? '-' : ''}$${Math.abs(usd).toFixed(6)} quota`;
}

/** Removes binary rounding errors: costs have nine decimals. */
export const roundedUsd = (usd: number): number => Number(usd.toFixed(9));
