import { asFields, type Fields } from '../../../shared/json.js';
import type { ContextTier, PriceCard, Quantity } from '../../../shared/price-card.js';
import {
  amountOf,
  PriceDocumentError,
  withoutAbsent,
  type CardCollector,
  type MutablePrices,
} from './card-collector.js';
import { isMaker, rankOf } from './provider-names.js';

/** `https://models.dev/api.json`: providers with their models; USD per million tokens. */
export const isModelsDev = (document: Fields): boolean => {
  const providers = Object.values(document).map(asFields);
  return providers.length > 0 && providers.every((provider) => asFields(provider?.['models']) !== null);
};

const fields: ReadonlyArray<readonly [field: string, quantity: Quantity]> = [
  ['input', 'input'],
  ['output', 'output'],
  ['reasoning', 'reasoning'],
  ['cache_read', 'cachedInput'],
  ['cache_write', 'cacheWrite'],
  ['input_audio', 'audioInput'],
  ['output_audio', 'audioOutput'],
];

/**
 * The provider whose price depends on the hour. The list has one price for each model, which is half the price of peak
 * hours.
 */
const offPeakProvider = 'deepseek';

/** Collects models: of makers by their plain names, of resellers as `provider/model`. */
export function* collectModelsDev(document: Fields, into: CardCollector): Iterable<void> {
  for (const [provider, value] of Object.entries(document)) {
    const models = asFields(asFields(value)?.['models']) ?? {};
    for (const [model, entry] of Object.entries(models)) {
      const name = isMaker(provider) ? model : `${provider}/${model}`;
      const cost = asFields(asFields(entry)?.['cost']);
      if (provider === offPeakProvider) into.skip(name, 'the list has its price of off-peak hours only');
      else if (cost) into.add(name, toCard(name, cost), { rank: isMaker(provider) ? rankOf(provider, model) : 2 });
      else into.skip(name, 'the document has no price for it');
      yield;
    }
  }
}

function toCard(name: string, cost: Fields): PriceCard {
  const contextTiers = tiersOf(name, cost);
  return { prices: pricesOf(name, cost), ...(contextTiers.length > 0 ? { contextTiers } : {}) };
}

/** The list of tiers replaces the older object for prompts above 200,000 tokens. */
function tiersOf(name: string, cost: Fields): ContextTier[] {
  if (Array.isArray(cost['tiers'])) {
    return (cost['tiers'] as readonly unknown[])
      .map((value) => {
        const tier = asFields(value);
        const { type, size } = asFields(tier?.['tier']) ?? {};
        if (!tier || type !== 'context' || typeof size !== 'number' || !Number.isSafeInteger(size)) {
          throw new PriceDocumentError(`has a tier in an unknown form: ${JSON.stringify(name.slice(0, 80))}`);
        }
        return { above: size, prices: pricesOf(name, tier) };
      })
      .sort((left, right) => left.above - right.above);
  }
  const long = asFields(cost['context_over_200k']);
  return long ? [{ above: 200_000, prices: pricesOf(name, long) }] : [];
}

const pricesOf = (name: string, cost: Fields): MutablePrices =>
  withoutAbsent(
    Object.fromEntries(
      fields
        .filter(([field]) => cost[field] !== undefined && cost[field] !== null)
        .map(([field, quantity]) => [quantity, amountOf(cost[field], name, field)]),
    ),
  );
