import { type Decimal } from 'decimal.js';
import type { Usage } from '../../shared/usage.js';
import { isTokenQuantity } from '../../shared/price-card.js';
import { Exact, quotient, round, whole, type Rounded } from './rounding.js';
import { toScaled, product, powerOfTen } from './scaled-decimal.js';
import { type ChargeTerms, type ChargeCard } from './charge-card.js';
import { type Component, type PricedUsage, pricedUsage, linesOf, linesOfCall, countedBy } from './card-lines.js';

const tokensPerPrice = 1_000_000;

/** Returns the exact amount of one line in USD. */
export function amountOf([quantity, count, price]: Component): Decimal {
  const amount = new Exact(count).times(price);
  return isTokenQuantity(quantity) ? amount.dividedBy(tokensPerPrice) : amount;
}

/** Returns the exact amount of all lines in USD. */
export const usdOf = (components: readonly Component[]): Decimal =>
  components.reduce((sum, component) => sum.plus(amountOf(component)), new Exact(0));

/** Returns the charge of a call's lines, rounded once. */
export function chargeOfComponents(
  components: readonly Component[],
  groupRatio: number,
  quotaPerUnit: number,
  terms: ChargeTerms = inUsd,
): Rounded {
  return (
    shortCharge(components, groupRatio, quotaPerUnit, terms) ?? longCharge(components, groupRatio, quotaPerUnit, terms)
  );
}

const inUsd: ChargeTerms = {};

function longCharge(
  components: readonly Component[],
  groupRatio: number,
  quotaPerUnit: number,
  { ratio, rounding = 'half-up' }: ChargeTerms,
): Rounded {
  if (ratio === undefined) return round(usdOf(components).times(quotaPerUnit).times(groupRatio), rounding);
  const weighted = components.reduce((sum, [, count, price]) => sum.plus(new Exact(count).times(price)), new Exact(0));
  const value = weighted.times(ratio).times(groupRatio);
  if (!value.isZero()) return round(value, rounding);
  // Only an exact 0 becomes one unit. 0.4 rounds to 0 (docs/reference/relay/billing.md#text).
  const isPriced = ratio > 0 && groupRatio > 0;
  return whole(isPriced && components.some(([quantity, count]) => count > 0 && isTokenQuantity(quantity)) ? 1 : 0);
}

/** Returns the charge of a call's lines in whole quota, for charges that carry no fraction. */
export const quotaOfComponents = (...charge: Parameters<typeof chargeOfComponents>): number =>
  chargeOfComponents(...charge).quota;

/**
 * Computes the charge in integers.
 * @returns null when a price has too many digits, the product is too large, or a charge by ratio is 0
 */
function shortCharge(
  components: readonly Component[],
  groupRatio: number,
  quotaPerUnit: number,
  { ratio, rounding = 'half-up' }: ChargeTerms,
): Rounded | null {
  const group = toScaled(groupRatio);
  const factor = toScaled(ratio ?? quotaPerUnit);
  if (!group || !factor) return null;
  let digits = 0;
  for (const [, , price] of components) digits = Math.max(digits, toScaled(price)?.digits ?? Infinity);
  let sum = 0;
  for (const [quantity, count, price] of components) {
    const scaled = toScaled(price);
    const more = ratio !== undefined || isTokenQuantity(quantity) ? 0 : 6;
    const unit = scaled && powerOfTen(digits - scaled.digits + more);
    const part = scaled && unit ? product(count, scaled.mantissa, unit) : null;
    if (part === null) return null;
    sum += part;
  }
  if (ratio !== undefined && sum === 0) return null;
  // 500000 x n / 10^6 is 5 x n / 10: fewer digits leave more room.
  let unit = factor.mantissa;
  let power = (ratio === undefined ? 6 : 0) + digits + group.digits + factor.digits;
  while (unit % 10 === 0 && unit > 0 && power > 0) {
    unit /= 10;
    power -= 1;
  }
  const numerator = product(sum, unit, group.mantissa);
  const denominator = powerOfTen(power);
  return numerator === null || denominator === null ? null : quotient(numerator, denominator, rounding);
}

/** Returns the charge of quantities. */
export const chargeOfCard = (card: ChargeCard, usage: PricedUsage, groupRatio: number, quotaPerUnit: number): Rounded =>
  chargeOfComponents(linesOf(card, usage), groupRatio, quotaPerUnit, card);

/** Returns the charge of a call. */
export function chargeOfUsage(
  card: ChargeCard,
  usage: Usage,
  groupRatio: number,
  quotaPerUnit: number,
  times = 1,
): Rounded {
  if (card.perCall === undefined) {
    return chargeOfCard(card, pricedUsage(countedBy(card, usage)), groupRatio, quotaPerUnit);
  }
  return chargeOfComponents(linesOfCall(card, usage, times), groupRatio, quotaPerUnit, card);
}

/**
 * Returns the older estimate of a call (docs/reference/relay/billing.md#reservation), truncated. Each token costs what a
 * prompt token costs, so a charge may exceed its reservation.
 */
export function reserveOf(card: ChargeCard, tokens: number, groupRatio: number, quotaPerUnit: number): number {
  const { perCall, prices, ...terms } = card;
  const { request = 0, input = 0 } = prices;
  const line: Component = perCall === undefined ? ['input', tokens, input] : ['request', 1, request];
  return chargeOfComponents([line], groupRatio, quotaPerUnit, { ...terms, rounding: 'truncate' }).quota;
}
