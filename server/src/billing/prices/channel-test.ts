import { chargeOfComponents, reserveOf } from './card-charge.js';
import { Exact } from './rounding.js';
import type { Price } from './compiled-price.js';

/**
 * Returns the amount logged for a channel test by the old tables (docs/reference/relay/routing.md#channel-test): without group ratio, and not
 * charged. Completion tokens are rounded before the prompt is added.
 */
export function chargeOfTest(
  { cards: { text }, shown }: Price,
  usage: { readonly promptTokens: number; readonly completionTokens: number },
  quotaPerUnit: number,
): number {
  if (text.perCall !== undefined) return reserveOf(text, 0, 1, quotaPerUnit);
  const completion = new Exact(usage.completionTokens).times(shown.completionRatio).round().toNumber();
  const { quota } = chargeOfComponents([['input', usage.promptTokens + completion, 1]], 1, quotaPerUnit, text);
  return shown.modelRatio !== 0 ? Math.max(1, quota) : quota;
}
