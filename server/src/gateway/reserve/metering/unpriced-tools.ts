import { pricesCondition, type PriceCard, type Prices } from '../../../shared/price-card.js';
import { whenSearched, whenTier, type Condition } from '../../../shared/price-condition.js';
import { asFields, asText, type Fields } from '../../../dialects/neutral/fields.js';
import { serverTools } from '../../../dialects/server-tools.js';

/** Returns the tools of a request that the provider runs and that have no known price, by the client's names. */
export const unpricedTools = (body: Fields, prices: Prices, areOfGoogle = false): readonly string[] =>
  serverTools(body, areOfGoogle)
    .filter((tool) => !tool.prices.some((quantity) => prices[quantity] !== undefined))
    .map(({ name }) => name);

/** Returns the tools that were not removed from the request to the provider. */
export const toolsSent = (names: readonly string[], dropped: readonly string[] | undefined): readonly string[] =>
  dropped ? names.filter((name) => !dropped.some((each) => each === name || each.endsWith(`.${name}`))) : names;

/** A field whose words select a price. */
interface Selector {
  /** Words of calls that cost the standard price or less. */
  readonly standard: ReadonlySet<string>;
  readonly condition: (word: unknown) => Condition | undefined;
}

const tier: Selector = {
  standard: new Set(['', 'auto', 'default', 'unspecified', 'standard', 'standard_only', 'on_demand', 'flex', 'batch']),
  condition: whenTier,
};
/** Anthropic's faster mode. */
const speed: Selector = {
  standard: new Set(['', 'standard']),
  condition: (word) => (word === 'fast' ? { tier: 'fast' } : undefined),
};
const region: Selector = {
  standard: new Set(['', 'global']),
  condition: (word) => (word === 'us' ? { region: 'us' } : undefined),
};
const selectors: ReadonlyMap<string, Selector> = new Map([
  ['service_tier', tier],
  ['serviceTier', tier],
  ['speed', speed],
  ['inference_geo', region],
]);

export const selectsPrice = (name: string): boolean => selectors.has(name);

/**
 * Returns the requested conditions. Perplexity names how much to search in an object.
 * @param isSent whether the provider got a field
 */
export function conditionsAskedFor(body: Fields, isSent = (_name: string): boolean => true): Condition[] {
  const sent = (name: string): unknown => (isSent(name) ? body[name] : undefined);
  const fast = speed.condition(sent('speed'));
  const inRegion = region.condition(sent('inference_geo'));
  return [
    fast ? { ...fast, ...inRegion } : inRegion,
    // A translated request has the tier under its older name only.
    isSent('service_tier') ? tier.condition(body['service_tier'] ?? sent('serviceTier')) : undefined,
    whenSearched(asFields(sent('web_search_options'))?.['search_context_size']),
  ].filter((when) => when !== undefined);
}

/** Returns the fields of a text request that select a price which is not known: no call may get it at another price. */
export function unpricedSelectors(body: Fields, card: PriceCard): readonly string[] {
  const found: string[] = [];
  for (const [name, { standard, condition }] of selectors) {
    const word = body[name];
    if (typeof word !== 'string' || standard.has(word)) continue;
    const when = condition(word);
    if (!when || !pricesCondition(card, when)) found.push(name);
  }
  return found;
}

/**
 * Returns the message of a refusal. It refers to the administrator only where a price can be set: no price can be set
 * for an unknown tool, or for a word that is no condition of prices.
 */
export function unpricedMessage(name: string, body: Fields): string {
  const selector = selectors.get(name);
  const isPriceable = selector
    ? selector.condition(asText(body[name])) !== undefined
    : serverTools(body).some((tool) => tool.name === name && tool.prices.length > 0);
  const named = selector ? `The field ${name}` : `The tool ${name}`;
  if (isPriceable) return `${named} has no price at this model: leave it out, or ask the administrator to set one`;
  const value = selector ? ` for ${asText(body[name])}` : '';
  return `${named} has no price${value}, and none can be set: leave it out`;
}
