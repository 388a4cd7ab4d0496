import { z } from 'zod';
import { cachedFallbacks, hasVariant, isVideoQuantity, quantities, statedPrices, statedRatesOf } from './price-card.js';
import type { PriceCard, Quantity, Variant } from './price-card.js';
import {
  conditionKey,
  conditionOf,
  conditionNames,
  conditions,
  conditionValues,
  type Condition,
} from './price-condition.js';

/** Maximum price in USD. It is far above any price list, and keeps every product within the range of the ledger. */
export const maxPrice = 1_000_000;
/** Minimum price in USD above 0. Prices are divided by others, and those of a smaller one would not be finite. */
const minPrice = 1e-9;
const maxContextTiers = 8;
const maxTokens = 1_000_000_000;

const amount = z
  .number()
  .min(0, 'must not be negative')
  .max(maxPrice, 'is too large')
  .refine((price) => price === 0 || price >= minPrice, 'is too small');
const prices = z.partialRecord(z.enum(quantities as [Quantity, ...Quantity[]]), amount);
const when = z
  .strictObject(Object.fromEntries(conditionNames.map((name) => [name, z.enum(conditionValues[name]).optional()])))
  .refine((value) => conditionOf(value) !== undefined, 'must be one condition, or tier fast and region us');
const variants = z
  .array(
    z.strictObject({
      when,
      factor: z.number().min(0, 'must not be negative').max(1000, 'is too large').optional(),
      prices: prices.optional(),
    }),
  )
  .max(conditions.length, 'has too many entries')
  .optional();

const card = z.strictObject({
  prices,
  contextTiers: z
    .array(
      z.strictObject({
        above: z.int('must be a whole number').min(1, 'must be at least 1').max(maxTokens, 'is too large'),
        prices,
        variants,
      }),
    )
    .max(maxContextTiers, 'has too many entries')
    .optional(),
  contextScope: z.enum(['call', 'excess']).optional(),
  variants,
  source: z.string().max(512, 'is too long').optional(),
  asOf: z
    .string()
    .regex(/^\d{4}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?$/, 'must be a date such as 2026-11 or 2026-11-21')
    .optional(),
});

/** Why a card cannot be used, for the person who wrote it. */
export class PriceCardError extends Error {}

/**
 * Checks a card from outside.
 * @throws PriceCardError naming the field
 */
export function parsePriceCard(value: unknown): PriceCard {
  const found = card.safeParse(value);
  if (!found.success) {
    const [issue] = found.error.issues;
    throw new PriceCardError(`${issue?.path.join('.') || 'card'}: ${issue?.message ?? 'is invalid'}`);
  }
  const parsed = found.data as PriceCard;
  if (Object.keys(parsed.prices).length === 0) throw new PriceCardError('prices: has no price');
  checkVariants(parsed.variants);
  for (const [index, { variants: own = [] }] of (parsed.contextTiers ?? []).entries()) {
    checkVariants(own, `contextTiers.${index}.`);
    const video = own.findIndex(({ when }) => when.resolution);
    if (video >= 0) throw new PriceCardError(`contextTiers.${index}.variants.${video}: videos have no prompt tokens`);
  }
  checkTiers(parsed);
  return parsed;
}

/** Prices of tokens, to which a factor would apply, do not depend on the resolution of a video. */
function checkVariants(variants: readonly Variant[] = [], place = ''): void {
  const seen = new Set<string>();
  for (const [index, { when, factor, prices = {} }] of variants.entries()) {
    const key = conditionKey(when);
    if (seen.has(key)) throw new PriceCardError(`${place}variants.${index}.when: is there twice`);
    seen.add(key);
    const isOfVideo = factor === undefined && Object.keys(prices).every((name) => isVideoQuantity(name as Quantity));
    if (when.resolution && !isOfVideo) {
      throw new PriceCardError(`${place}variants.${index}: a resolution has prices of videos only`);
    }
  }
}

/** Checks that a longer prompt never makes a call cheaper: thresholds and prices rise. */
function checkTiers(parsed: PriceCard): void {
  const tiers = parsed.contextTiers ?? [];
  tiers.forEach(({ above }, index) => {
    if (above <= (tiers[index - 1]?.above ?? 0)) throw new PriceCardError('contextTiers: thresholds must rise');
  });
  for (const when of [null, ...conditions.filter((each) => hasVariant(parsed, each))]) {
    tiers.forEach((_, index) => checkRise(parsed, index, when));
  }
}

function checkRise(parsed: PriceCard, tier: number, when: Condition | null): void {
  const lower = statedRatesOf(parsed, tier - 1, when);
  const higher = statedRatesOf(parsed, tier, when);
  const implied = new Set<Quantity>(cachedFallbacks.map(([part]) => part).filter((part) => !isNamed(parsed, part)));
  for (const quantity of quantities) {
    if (higher[quantity] >= lower[quantity] || implied.has(quantity)) continue;
    throw new PriceCardError(`contextTiers.${tier}: ${quantity} is cheaper than below the threshold`);
  }
}

/** Whether any part of the card has a price for the quantity. */
const isNamed = (card: PriceCard, quantity: Quantity): boolean =>
  statedPrices(card).some((each) => each[quantity] !== undefined);

/** Whether a text is a name of models: exact, or with one `*` at the end. */
export const isCardName = (name: string): boolean =>
  /^[^*\s]+\*?$|^\*$/.test(name) && name.length <= 256 && name !== '__proto__';
