import { type Decimal } from 'decimal.js';
import type { Usage } from '../../shared/usage.js';
import { isTokenQuantity, pricedPer } from '../../shared/price-card.js';
import type { Condition } from '../../shared/price-condition.js';
import { billion, Exact, round, whole, type Rounded, type Rounding } from './rounding.js';
import {
  boundComponents,
  type CallBound,
  type ChargeCard,
  type ChargeTerms,
  type Component,
  countedBy,
  linesOf,
  linesOfCall,
  type PricedUsage,
  pricedUsage,
} from './card-lines.js';

/** Returns the exact amount of one line in USD. */
export function amountOf([quantity, count, price]: Component): Decimal {
  return new Exact(count).times(price).dividedBy(pricedPer[quantity]);
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
    const more = ratio === undefined && pricedPer[quantity] === 1 ? 6 : 0;
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

/**
 * A short decimal as an integer and a power of ten: 1.25 is 125 / 10². Most prices have few digits, so a charge fits a
 * safe integer and needs no decimal library. When it does not fit, the functions return null and the caller uses the
 * decimal library.
 */
interface Scaled {
  readonly mantissa: number;
  /** Digits after the decimal point. */
  readonly digits: number;
}

const powers = Array.from({ length: 16 }, (_, digits) => 10 ** digits);
const knownDecimals = new Map<number, Scaled | null>();
const maxKnownDecimals = 4096;

/**
 * Converts a number. Results are cached, because every call needs its ratios.
 * @returns null for a number that is negative, not finite or too long
 */
function toScaled(value: number): Scaled | null {
  const kept = knownDecimals.get(value);
  if (kept !== undefined) return kept;
  if (knownDecimals.size >= maxKnownDecimals) knownDecimals.clear();
  const scaled = parseDecimal(value);
  knownDecimals.set(value, scaled);
  return scaled;
}

function parseDecimal(value: number): Scaled | null {
  const found = /^(\d+)(?:\.(\d+))?$/.exec(String(value));
  if (!found) return null;
  const [, whole = '', fraction = ''] = found;
  const mantissa = Number(whole + fraction);
  return Number.isSafeInteger(mantissa) && fraction.length < powers.length
    ? { mantissa, digits: fraction.length }
    : null;
}

/** Returns the product of integers; null when it exceeds the safe integers. */
function product(...factors: readonly number[]): number | null {
  let result = 1;
  for (const factor of factors) {
    result *= factor;
    if (!Number.isSafeInteger(result)) return null;
  }
  return result;
}

/** @returns `10^digits`; null when it exceeds the safe integers */
const powerOfTen = (digits: number): number | null => powers[digits] ?? null;

/**
 * Returns `numerator / denominator`, rounded. It is exact, because both are integers.
 * @param denominator a power of ten
 */
function quotient(numerator: number, denominator: number, rounding: Rounding): Rounded {
  const remainder = numerator % denominator;
  const quota = (numerator - remainder) / denominator;
  const rest = billionthsOf(remainder, denominator);
  return rounding === 'half-up' && remainder * 2 >= denominator
    ? { quota: quota + 1, rest: rest - billion }
    : { quota, rest };
}

function billionthsOf(remainder: number, denominator: number): number {
  if (denominator <= billion) return remainder * (billion / denominator);
  const unit = denominator / billion;
  return (remainder - (remainder % unit)) / unit;
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

/** Returns the maximum quota that a call can cost: every token has the highest price that it can have. */
export function boundOfCard(card: ChargeCard, bound: CallBound, groupRatio: number, quotaPerUnit: number): number {
  const boundAt = (when: Condition | null): number =>
    roundedUp(chargeOfComponents(boundComponents(card, bound, when), groupRatio, quotaPerUnit, card));
  return bound.when.reduce((most, when) => Math.max(most, boundAt(when)), boundAt(null));
}

/** Returns the condition under which a usage costs most; undefined where the standard condition costs as much. */
export function dearestCondition(
  card: ChargeCard,
  usage: Usage,
  conditions: readonly Condition[],
  quotaPerUnit: number,
): Condition | undefined {
  const { counts } = pricedUsage(usage);
  const quotaAt = (when: Condition | null): number => chargeOfCard(card, { counts, when }, 1, quotaPerUnit).quota;
  let [dearest, most]: [Condition | undefined, number] = [undefined, conditions.length > 0 ? quotaAt(null) : 0];
  for (const when of conditions) {
    const quota = quotaAt(when);
    if (quota > most) [dearest, most] = [when, quota];
  }
  return dearest;
}

/** Returns the maximum charge of a price, for any accumulated fraction. */
export const roundedUp = ({ quota, rest }: Rounded): number => (rest > 0 ? quota + 1 : quota);
