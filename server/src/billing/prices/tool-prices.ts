import type { ToolFees, ToolPrices } from '../../shared/tool-fees.js';
import {
  toolQuantities,
  type PriceCard,
  type Prices,
  type Quantity,
  type ToolQuantity,
} from '../../shared/price-card.js';
import { builtInCard, makerRules } from './built-in-prices.js';
import { isFreeCard } from './card-lines.js';

/** A search is priced by the search, by the call that searches, or with each request of a model that always searches. */
export const searchPrices = ['webSearch', 'groundedPrompt', 'request'] as const;
const feeQuantities = [...toolQuantities, 'request'] as const;

/** Returns the tool prices of the model's maker. */
export function listedTools(model: string): ToolFees {
  const name = model.slice(model.lastIndexOf('/') + 1);
  const ofMaker = makerRules.tools.find(({ models }) => models.test(name))?.prices ?? {};
  const listed = (builtInCard(model) ?? builtInCard(name))?.card;
  return listed?.prices.input === undefined ? ofMaker : toolsBeside(listed.prices, ofMaker);
}

/**
 * Returns the prices of a request to a model that always searches, by the size of the search. Undefined when the site has
 * set the price.
 */
export function listedSearches(model: string, tools: ToolFees): PriceCard['variants'] {
  const listed = (builtInCard(model) ?? builtInCard(model.slice(model.lastIndexOf('/') + 1)))?.card;
  if (!listed?.variants || tools.request === undefined || listed.prices.request !== tools.request) return undefined;
  return listed.variants.filter(({ when }) => when.searchSize);
}

/** Returns the tool prices that the site sets, and those of the model's maker for other tools. */
export const toolPricesOf = (model: string, site: ToolPrices): ToolFees => toolsBeside(site, listedTools(model));

/** Returns the prices of `stated`, and those of `more` for work that `stated` does not price. */
function toolsBeside(stated: Prices, more: ToolFees): ToolFees {
  const pricesSearch = searchPrices.some((quantity) => stated[quantity] !== undefined);
  const prices: Partial<Record<ToolQuantity | 'request', number>> = {};
  for (const quantity of feeQuantities) {
    const isOther = pricesSearch && searchPrices.some((each) => each === quantity);
    const price = stated[quantity] ?? (isOther ? undefined : more[quantity]);
    if (price !== undefined) prices[quantity] = price;
  }
  return prices;
}

/** Returns the card with prices of tools that it lacks: the same card when it prices all of them, or is free. */
export function withTools(card: PriceCard, tools: ToolFees): PriceCard {
  if (isFreeCard(card) || !pricesTokens(card)) return card;
  const prices = toolsBeside(card.prices, tools);
  const isComplete = feeQuantities.every((quantity) => card.prices[quantity] === prices[quantity]);
  if (isComplete) return card;
  const whole = { ...card, prices: { ...card.prices, ...prices } };
  const added = feeQuantities.filter((quantity) => card.prices[quantity] === undefined);
  implied.set(whole, new Set([...(implied.get(card) ?? []), ...added]));
  return whole;
}

/** The prices that `withTools` added to a card. */
const implied = new WeakMap<PriceCard, ReadonlySet<Quantity>>();

/** Whether a card has the price of a tool only because others state it: rows of calls without such a line used no such tool. */
export const isImplied = (card: PriceCard, quantity: Quantity): boolean => implied.get(card)?.has(quantity) === true;

/** Returns the card with the site's prices of tools in place of its own. */
export function withSiteTools(card: PriceCard, site: ToolPrices): PriceCard {
  if (Object.keys(site).length === 0 || isFreeCard(card) || !pricesTokens(card)) return card;
  const { webSearch: _search, groundedPrompt: _grounded, request: _request, ...others } = card.prices;
  const replacesSearch = site.webSearch !== undefined || site.groundedPrompt !== undefined;
  return { ...card, prices: { ...(replacesSearch ? others : card.prices), ...site } };
}

/** Tools run in calls that produce tokens. */
const pricesTokens = ({ prices }: PriceCard): boolean => prices.output !== undefined;
