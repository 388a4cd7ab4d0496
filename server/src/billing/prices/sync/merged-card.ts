import {
  exact,
  isTokenQuantity,
  isPromptQuantity,
  isVideoQuantity,
  toolQuantities,
  type ContextTier,
  type PriceCard,
  type Prices,
  type Quantity,
  type Variant,
} from '../../../shared/price-card.js';
import { parsePriceCard, PriceCardError } from '../../../shared/price-card-input.js';
import { hasTokenPrice } from './card-collector.js';
import { withAllPrices, mergedVariants } from './card-parts.js';

/** Tool calls. Most public tables do not price all of them. */
const tools: ReadonlySet<string> = new Set(toolQuantities);

/**
 * Returns the card of a source, completed with prices that the source does not have and the current card does: tool
 * calls at their current price; parts of the tokens, variants and prices of long prompts in their current relation
 * to input and output; resolutions of videos in their relation to the second. Otherwise the missing parts would become
 * free. If the two cannot be combined, the card of the source is returned alone.
 */
export function mergedCard(current: PriceCard, offer: PriceCard): PriceCard {
  try {
    return parsePriceCard(merge(current, offer));
  } catch (error) {
    if (error instanceof PriceCardError) return offer;
    throw error;
  }
}

function merge(current: PriceCard, offer: PriceCard): PriceCard {
  const kept = withAllPrices(current, relation(current.prices, offer.prices));
  const { contextTiers: keptTiers, ...parts } = kept;
  // Variants price tokens, except for resolutions.
  const keptCard = hasTokenPrice(offer.prices)
    ? parts
    : { prices: parts.prices, variants: pricedResolutions(parts.variants) };
  const contextTiers = offer.contextTiers
    ? offer.contextTiers.map((tier) => ({
        ...tier,
        ...mergedVariants(keptTiers?.find(({ above }) => above === tier.above)?.variants, tier.variants),
      }))
    : risen(keptTiers, offer.prices);
  return {
    ...offer,
    ...mergedVariants(keptCard.variants, offer.variants),
    prices: { ...keptCard.prices, ...offer.prices },
    ...(contextTiers ? { contextTiers } : {}),
    ...(current.contextScope && contextTiers && !offer.contextTiers ? { contextScope: current.contextScope } : {}),
  };
}

/**
 * Returns a function that gives prices in their relation to input and output, without those that the offer has, and
 * without units that are another way to charge.
 */
function relation(current: Prices, offer: Prices): (prices: Prices) => Prices {
  const factorOf = (whole: 'input' | 'output' | 'second'): number | null => {
    const [before = 0, after = 0] = [current[whole], offer[whole]];
    return before > 0 && after > 0 ? after / before : null;
  };
  const [prompt, result, second] = [factorOf('input'), factorOf('output'), factorOf('second')];
  // A price of the request besides prices of tokens is a surcharge, such as for a search in each call.
  const hasSurcharge = hasTokenPrice(current) && hasTokenPrice(offer);
  return (prices) =>
    Object.fromEntries(
      Object.entries(prices).flatMap(([quantity, price]) => {
        if (tools.has(quantity) || (quantity === 'request' && hasSurcharge)) return [[quantity, price]];
        const isOfVideo = isVideoQuantity(quantity as Quantity);
        if (!isTokenQuantity(quantity as Quantity) && !isOfVideo) return [];
        const factor = isOfVideo ? second : isPromptQuantity(quantity as Quantity) ? prompt : result;
        return factor === null ? [] : [[quantity, exact(price * factor)]];
      }),
    );
}

const pricedResolutions = (variants: readonly Variant[] = []): Variant[] =>
  variants.filter(({ when, prices }) => when.resolution && Object.keys(prices ?? {}).length > 0);

/** Returns tiers of long prompts, with no price below that of a short prompt. */
function risen(tiers: readonly ContextTier[] | undefined, base: Prices): readonly ContextTier[] | undefined {
  const kept = tiers
    ?.map((tier) => ({
      ...tier,
      prices: Object.fromEntries(
        Object.entries(tier.prices).map(([name, price]) => [name, Math.max(price, base[name as Quantity] ?? 0)]),
      ),
    }))
    .filter(({ prices }) => Object.keys(prices).length > 0);
  return kept && kept.length > 0 ? kept : undefined;
}
