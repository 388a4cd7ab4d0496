import {
  exact,
  isTokenQuantity,
  isPromptQuantity,
  resolutions,
  type ContextTier,
  type PriceCard,
  type Prices,
  type Quantity,
  type Services,
} from '../../../shared/price-card.js';
import { parsePriceCard, PriceCardError } from '../../../shared/price-card-input.js';
import { hasTokenPrice } from './card-collector.js';
import { withAllPrices } from './card-parts.js';

/** Calls of tools. Most public tables do not price all of them. */
const tools: ReadonlySet<string> = new Set([
  'webSearch',
  'groundedPrompt',
  'mapsPrompt',
  'fileSearch',
  'codeExecution',
] satisfies Quantity[]);

/**
 * The card of a source, with what the source does not price and the current card does: calls of tools at their current
 * price; parts of the tokens, service tiers and prices of long prompts in their current relation to input and output, and
 * resolutions of videos in theirs to the second.
 * Otherwise a source that knows little would give away what it does not know. Where the two do not fit together, the card of
 * the source stands alone.
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
  // Service tiers price tokens, but for resolutions.
  const keptCard = hasTokenPrice(offer.prices)
    ? parts
    : { prices: parts.prices, services: pricedResolutions(parts.services) };
  const contextTiers = offer.contextTiers
    ? offer.contextTiers.map((tier) =>
        withServices(
          tier,
          keptTiers?.find(({ above }) => above === tier.above),
        ),
      )
    : risen(keptTiers, offer.prices);
  return {
    ...withServices(offer, keptCard),
    prices: { ...keptCard.prices, ...offer.prices },
    ...(contextTiers ? { contextTiers } : {}),
    ...(current.contextScope && contextTiers && !offer.contextTiers ? { contextScope: current.contextScope } : {}),
  };
}

/** Prices in their relation to input and output; without those that the offer has, and without units that are another way to charge. */
function relation(current: Prices, offer: Prices): (prices: Prices) => Prices {
  const factorOf = (whole: 'input' | 'output' | 'second'): number | null => {
    const [before = 0, after = 0] = [current[whole], offer[whole]];
    return before > 0 && after > 0 ? after / before : null;
  };
  const [prompt, result, second] = [factorOf('input'), factorOf('output'), factorOf('second')];
  // A price of the request beside prices of tokens is a surcharge, such as that of a search in each call.
  const hasSurcharge = hasTokenPrice(current) && hasTokenPrice(offer);
  return (prices) =>
    Object.fromEntries(
      Object.entries(prices).flatMap(([quantity, price]) => {
        if (tools.has(quantity) || (quantity === 'request' && hasSurcharge)) return [[quantity, price]];
        if (!isTokenQuantity(quantity as Quantity) && quantity !== 'second') return [];
        const factor = quantity === 'second' ? second : isPromptQuantity(quantity as Quantity) ? prompt : result;
        return factor === null ? [] : [[quantity, exact(price * factor)]];
      }),
    );
}

const pricedResolutions = (services: Services = {}): Services =>
  Object.fromEntries(
    resolutions.flatMap((name) => (services[name]?.prices?.second === undefined ? [] : [[name, services[name]]])),
  );

function withServices<Part extends Pick<PriceCard, 'services'>>(
  part: Part,
  kept: Pick<PriceCard, 'services'> | undefined,
): Part {
  const services = { ...kept?.services, ...part.services };
  return Object.keys(services).length > 0 ? { ...part, services } : part;
}

/** Tiers of long prompts, with no price lower than that of a short prompt now. */
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
