/** Upper bounds in milliseconds of the buckets of `usage_hourly.duration_buckets`; the last bucket has no bound. */
export const durationBounds = [
  50, 100, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 7500, 10_000, 15_000, 20_000, 30_000, 45_000, 60_000,
  90_000, 120_000, 180_000, 300_000, 600_000,
] as const;

/**
 * Returns the duration that the given share of the calls did not exceed, interpolated linearly inside its bucket.
 * @param share 0 to 1
 * @returns milliseconds; null without calls
 */
export function percentile(buckets: readonly number[], share: number): number | null {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = share * total;
  for (let index = 0; index < buckets.length; index++) {
    const count = buckets[index] ?? 0;
    if (count > 0 && left <= count) {
      const low = index === 0 ? 0 : (durationBounds[index - 1] ?? 0);
      const high = durationBounds[index] ?? low * 2;
      return Math.round(low + ((high - low) * left) / count);
    }
    left -= count;
  }
  return durationBounds.at(-1) ?? 0;
}
