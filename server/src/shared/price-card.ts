/** Tokens of text, and those whose kind is not reported. */
export const textQuantities = ['input', 'cachedInput', 'cacheWrite', 'cacheWrite1h', 'output', 'reasoning'] as const;

/** Quantities that are counted in tokens. A token of a call is counted in exactly one of them. */
export const tokenQuantities = [
  ...textQuantities,
  'audioInput',
  'cachedAudioInput',
  'audioOutput',
  'imageInput',
  'cachedImageInput',
  'imageOutput',
] as const;

/** Quantities that are counted in pieces: tool calls, prompts that a search or a map grounds, generated images, seconds, pages, characters, requests. */
export const unitQuantities = [
  'webSearch',
  'groundedPrompt',
  'mapsPrompt',
  'fileSearch',
  'codeExecution',
  'image',
  'second',
  'page',
  'character',
  'request',
] as const;

/** Work of tools that a provider runs. */
export const toolQuantities = ['webSearch', 'groundedPrompt', 'mapsPrompt', 'fileSearch', 'codeExecution'] as const;
export type ToolQuantity = (typeof toolQuantities)[number];

export type TokenQuantity = (typeof tokenQuantities)[number];
export type UnitQuantity = (typeof unitQuantities)[number];
export type Quantity = TokenQuantity | UnitQuantity;

export const quantities: readonly Quantity[] = [...tokenQuantities, ...unitQuantities];

/** Quantities of the prompt, in the order of the prompt: cached tokens precede new ones. */
export const promptQuantities = [
  'cachedInput',
  'cachedAudioInput',
  'cachedImageInput',
  'cacheWrite',
  'cacheWrite1h',
  'audioInput',
  'imageInput',
  'input',
] as const satisfies readonly TokenQuantity[];

const ofPrompt = new Set<Quantity>(promptQuantities);
const ofTokens = new Set<Quantity>(tokenQuantities);

export const isPromptQuantity = (quantity: Quantity): boolean => ofPrompt.has(quantity);
export const isTokenQuantity = (quantity: Quantity): quantity is TokenQuantity => ofTokens.has(quantity);

/** Resolutions of videos. A second may have a different price in each. */
export const resolutions = ['480p', '720p', '1080p', '2k', '4k'] as const;
export type Resolution = (typeof resolutions)[number];

/**
 * Service tiers with prices of their own, as providers name them in responses; all others are the standard tier. And what else
 * has a price of its own: where Anthropic ran the model (`us`, and `fast_us` with its faster mode), how much Perplexity
 * searched, the time of the call (`Provider.tierAt`), and the resolution of a video.
 */
export const serviceTiers = [
  'flex',
  'priority',
  'batch',
  'fast',
  'ultrafast',
  'us',
  'fast_us',
  'search_medium',
  'search_high',
  'off_peak',
  ...resolutions,
] as const;
export type ServiceTier = (typeof serviceTiers)[number];

const known: ReadonlySet<unknown> = new Set(serviceTiers);
/** Tiers that no provider calls a tier. */
const derived: ReadonlySet<unknown> = new Set([
  'us',
  'fast_us',
  'search_medium',
  'search_high',
  'off_peak',
  ...resolutions,
]);

/** Returns the tier by a provider's name; undefined for the standard tier and for unknown names. */
export const reportedTier = (name: unknown): ServiceTier | undefined =>
  derived.has(name) ? undefined : recordedTier(name);

/** Returns the tier by the size of the context that Perplexity searches. `low` is the standard tier. */
export const searchTier = (size: unknown): ServiceTier | undefined =>
  size === 'medium' ? 'search_medium' : size === 'high' ? 'search_high' : undefined;

/** Other names of resolutions. */
const otherNames: Readonly<Record<string, Resolution>> = { '768p': '720p', '1440p': '2k', '2160p': '4k' };

/** Maximum pixels of a resolution, for any shape: 720p is 1280x720, and also 960x960. */
const maxPixels: ReadonlyArray<readonly [pixels: number, resolution: Resolution]> = [
  [600_000, '480p'],
  [1_400_000, '720p'],
  [2_800_000, '1080p'],
  [5_500_000, '2k'],
  [Infinity, '4k'],
];

/**
 * Returns the tier by the name of a resolution, in any case, or by a size such as `1280x720`; undefined for anything
 * else.
 */
export function resolutionTier(name: unknown): Resolution | undefined {
  if (typeof name !== 'string') return undefined;
  const text = name.toLowerCase();
  const size = /^(\d{1,5})x(\d{1,5})$/.exec(text);
  if (size) return maxPixels.find(([pixels]) => Number(size[1]) * Number(size[2]) <= pixels)?.[1];
  return resolutions.find((each) => each === text) ?? (Object.hasOwn(otherNames, text) ? otherNames[text] : undefined);
}

/** Returns the tier that a log row names. */
export const recordedTier = (name: unknown): ServiceTier | undefined =>
  known.has(name) ? (name as ServiceTier) : undefined;

/** USD per million tokens, or USD per unit. Finite and not negative. */
export type Prices = Readonly<Partial<Record<Quantity, number>>>;

/** Prices of a service tier: the prices of the standard tier times a factor, and prices of its own. */
export interface ServicePrices {
  /**
   * The factor. It applies to prices of tokens only: tool calls, seconds and other units cost the same in every tier.
   */
  readonly factor?: number;
  readonly prices?: Prices;
}

export type Services = Readonly<Partial<Record<ServiceTier, ServicePrices>>>;

/** Prices of calls with a long prompt. */
export interface ContextTier {
  /** Prompt tokens, including cached ones. The tier begins with the next token. */
  readonly above: number;
  /** The prices that differ from those of the card. None is lower. */
  readonly prices: Prices;
  /** Prices of service tiers. See `ratesOf` for a tier that is missing here. */
  readonly services?: Services;
}

/** The price of a model. */
export interface PriceCard {
  readonly prices: Prices;
  /** The context tiers by threshold, lowest first. */
  readonly contextTiers?: readonly ContextTier[];
  /** `call` (default): the tier prices the whole call. `excess`: only prompt tokens above its threshold. */
  readonly contextScope?: 'call' | 'excess';
  readonly services?: Services;
  /** The source of the prices: a URL or a short text. */
  readonly source?: string;
  /** When the prices were read: a month or a day, such as `2026-11` or `2026-11-21`. */
  readonly asOf?: string;
}

/** Returns the unit by which a card prices whole calls or images, if it prices no tokens; null for other cards. */
export function pieceOf({ prices }: PriceCard): 'request' | 'image' | null {
  if (tokenQuantities.some((quantity) => (prices[quantity] ?? 0) > 0)) return null;
  const { request, image } = prices;
  return request !== undefined ? 'request' : image === undefined ? null : 'image';
}

/** Complete prices: every quantity has one. */
export type Rates = Readonly<Record<Quantity, number>>;

/**
 * Quantities without a price of their own cost what another quantity costs. Units without a price cost nothing. Cached tokens
 * of audio and images are in `cachedFallbacks`.
 */
export const priceFallbacks: ReadonlyArray<readonly [part: TokenQuantity, whole: TokenQuantity]> = [
  ['cachedInput', 'input'],
  ['cacheWrite', 'input'],
  ['cacheWrite1h', 'cacheWrite'],
  ['reasoning', 'output'],
  ['audioInput', 'input'],
  ['audioOutput', 'output'],
  ['imageInput', 'input'],
  ['imageOutput', 'output'],
];

/** Fallbacks of cached tokens of a kind without a price of their own. They have the same discount as cached text. */
export const cachedFallbacks: ReadonlyArray<readonly [part: TokenQuantity, whole: TokenQuantity]> = [
  ['cachedAudioInput', 'audioInput'],
  ['cachedImageInput', 'imageInput'],
];

/**
 * The prices of a card for one context tier and one service tier. A context tier without prices of its own for a service
 * tier uses the factor of the card; where there is no factor either, a long call costs what is higher: the standard price
 * of the context tier, or the price of a short call in the service tier. `fast_us` costs the factor of `us` more than `fast`.
 * @param tier index of the context tier; -1 for calls below the first threshold
 */
export function ratesOf(card: PriceCard, tier: number, service: ServiceTier | null): Rates {
  const rates = complete(pricesAt(card, tier, service, related));
  if (tier < 0) return rates;
  // A price that follows from others is no lower than for shorter prompts either.
  const before = ratesOf(card, tier - 1, service);
  const derived = [...priceFallbacks, ...cachedFallbacks].filter(([, whole]) => rates[whole] >= before[whole]);
  return { ...rates, ...Object.fromEntries(derived.map(([part]) => [part, Math.max(rates[part], before[part])])) };
}

/** Prices as a card states them, by which a card is checked: those that no tier names are those of the card. */
export const statedRatesOf = (card: PriceCard, tier: number, service: ServiceTier | null): Rates =>
  complete(pricesAt(card, tier, service, (base, own) => ({ ...base, ...own })));

/** Puts the prices of a tier over those that it is based on. */
type Over = (base: Prices, own: Prices) => Prices;

function pricesAt(card: PriceCard, tier: number, service: ServiceTier | null, over: Over): Prices {
  const context = card.contextTiers?.[tier];
  if (service === 'fast_us' && !card.services?.fast_us && !context?.services?.fast_us) {
    return scaled(complete(pricesAt(card, tier, 'fast', over)), card.services?.us?.factor ?? 1);
  }
  const standard = context ? over(card.prices, context.prices) : card.prices;
  const ofCard = service ? card.services?.[service] : undefined;
  const own = service ? context?.services?.[service] : undefined;
  if (own) return servicePrices(standard, own, over);
  if (!ofCard) return standard;
  if (!context || ofCard.factor !== undefined) {
    return servicePrices(standard, context ? { factor: ofCard.factor ?? 1 } : ofCard, over);
  }
  return higher(complete(standard), complete(servicePrices(card.prices, ofCard, over)));
}

const servicePrices = (standard: Prices, { factor, prices = {} }: ServicePrices, over: Over): Prices =>
  over(scaled(standard, factor ?? 1), prices);

/** Where a tier names a price, such as that of input, but not one that is based on it, the latter keeps its relation to it. */
function related(base: Prices, own: Prices): Prices {
  const prices: Partial<Record<Quantity, number>> = { ...base, ...own };
  for (const [part, whole] of [...priceFallbacks, ...cachedFallbacks]) {
    const [given, before, now] = [base[part], base[whole], prices[whole]];
    if (own[part] !== undefined || given === undefined || !before || now === undefined || now === before) continue;
    prices[part] = exact((given * now) / before);
  }
  return prices;
}

const higher = (left: Rates, right: Rates): Rates =>
  Object.fromEntries(quantities.map((name) => [name, Math.max(left[name], right[name])])) as Rates;

function complete(prices: Prices): Rates {
  const rates = Object.fromEntries(quantities.map((quantity) => [quantity, prices[quantity] ?? 0]));
  for (const [quantity, other] of priceFallbacks) {
    if (prices[quantity] === undefined) rates[quantity] = rates[other] ?? 0;
  }
  for (const [quantity, fresh] of cachedFallbacks) {
    if (prices[quantity] === undefined) rates[quantity] = cachedPrice(rates[fresh] ?? 0, rates as Rates);
  }
  return rates as Rates;
}

function cachedPrice(fresh: number, { input, cachedInput }: Rates): number {
  if (fresh === input) return cachedInput;
  return input > 0 ? exact((fresh * cachedInput) / input) : fresh;
}

function scaled(prices: Prices, factor: number): Prices {
  if (factor === 1) return prices;
  return Object.fromEntries(
    Object.entries(prices).map(([quantity, price]) => [
      quantity,
      isTokenQuantity(quantity as Quantity) ? exact(price * factor) : price,
    ]),
  );
}

/** Removes binary rounding errors: 0.1 x 3 is 0.3. Keeps twelve digits. */
export const exact = (value: number): number => Number(value.toPrecision(12));

/** Prompt tokens above which the context tiers of a card begin, lowest first. */
export const thresholdsOf = (card: PriceCard): number[] => (card.contextTiers ?? []).map(({ above }) => above);
