/**
 * The kind of a quantity. `text` and `media` are counted in tokens, and a token of a call is counted in exactly one of them.
 * The others are counted in pieces: `tool` is work of tools that a provider runs, `product` is the whole product of a call,
 * such as an image, and `video` is a product too, whose price may depend on the resolution.
 */
type Kind = 'text' | 'media' | 'tool' | 'product' | 'video';

interface QuantityRow {
  readonly kind: Kind;
  /** The quantity whose price applies where this one has no price of its own. Other units without a price cost nothing. */
  readonly else?: string;
  /** The quantity of the same kind that was not cached. Without a price of its own, the discount of cached text applies. */
  readonly fresh?: string;
  /** The field of `UsageDetails` that counts it, if it has one of its own. */
  readonly count?: string;
  /** The count of another tool. A call with any number of those has one unit of this quantity. */
  readonly onceFor?: string;
  /** Whether a unit is one call of a tool, which a limit of tool calls limits. */
  readonly isCall?: true;
}

/** Every quantity that may have a price, in the order of receipts. */
const table = {
  input: { kind: 'text' },
  cachedInput: { kind: 'text', else: 'input' },
  cacheWrite: { kind: 'text', else: 'input' },
  cacheWrite1h: { kind: 'text', else: 'cacheWrite' },
  output: { kind: 'text' },
  reasoning: { kind: 'text', else: 'output' },
  audioInput: { kind: 'media', else: 'input' },
  cachedAudioInput: { kind: 'media', fresh: 'audioInput' },
  audioOutput: { kind: 'media', else: 'output' },
  imageInput: { kind: 'media', else: 'input' },
  cachedImageInput: { kind: 'media', fresh: 'imageInput' },
  imageOutput: { kind: 'media', else: 'output' },
  webSearch: { kind: 'tool', count: 'webSearches', isCall: true },
  /** Some providers charge once, for any number of searches. */
  groundedPrompt: { kind: 'tool', count: 'groundedPrompts', onceFor: 'webSearches' },
  /** 1 if Google Maps grounded the response. */
  mapsPrompt: { kind: 'tool', count: 'mapsPrompts' },
  fileSearch: { kind: 'tool', count: 'fileSearches', isCall: true },
  /** Containers of 1 GB in which a provider ran code. */
  codeExecution: { kind: 'tool', count: 'codeExecutions' },
  image: { kind: 'product', count: 'images' },
  second: { kind: 'video', count: 'seconds' },
  secondWithAudio: { kind: 'video', else: 'second' },
  page: { kind: 'product', count: 'pages' },
  character: { kind: 'product', count: 'characters' },
  request: { kind: 'product' },
} as const satisfies Readonly<Record<string, QuantityRow>>;

type Table = typeof table;
export type Quantity = keyof Table;
type OfKind<K extends Kind> = { [Q in Quantity]: Table[Q]['kind'] extends K ? Q : never }[Quantity];

export type TokenQuantity = OfKind<'text' | 'media'>;
export type UnitQuantity = Exclude<Quantity, TokenQuantity>;
export type ToolQuantity = OfKind<'tool'>;

type CountOf<Q extends Quantity> = Table[Q] extends { readonly count: infer Name extends string } ? Name : never;
export type UnitCount = { [Q in Quantity]: CountOf<Q> }[Quantity];
/** The count of a tool that a request allows. */
export type ToolCount = {
  [Q in ToolQuantity]: Table[Q] extends { readonly onceFor: string } ? never : CountOf<Q>;
}[ToolQuantity];
/** The work that the tools of a provider may do in one call. */
export type ToolWork = Readonly<Record<ToolCount, number>>;

export const quantities = Object.keys(table) as Quantity[];

const ofKinds = <K extends Kind>(...kinds: readonly K[]): ReadonlyArray<OfKind<K>> =>
  quantities.filter((quantity): quantity is OfKind<K> => (kinds as readonly Kind[]).includes(table[quantity].kind));

/** Tokens of text, and those whose kind is not reported. */
export const textQuantities = ofKinds('text');
export const tokenQuantities = ofKinds('text', 'media');
export const toolQuantities = ofKinds('tool');
export const unitQuantities = ofKinds('tool', 'product', 'video');
/** Units that are the whole product of a call. */
export const productQuantities = ofKinds('product', 'video');

/** The quantities that a usage counts in a field of their own. */
export const unitCounts = quantities.flatMap((quantity) => {
  const { count } = table[quantity] as QuantityRow;
  return count === undefined ? [] : [[quantity, count]];
}) as ReadonlyArray<readonly [UnitQuantity, UnitCount]>;

interface ToolRow {
  readonly quantity: ToolQuantity;
  readonly count: UnitCount;
  /** The count in `ToolWork` that allows it. */
  readonly allowedBy: ToolCount;
  readonly isOnce: boolean;
}

export const toolRows = toolQuantities.map((quantity) => {
  const { count, onceFor } = table[quantity] as QuantityRow;
  return { quantity, count, allowedBy: onceFor ?? count, isOnce: onceFor !== undefined } as ToolRow;
});

export const toolCounts: readonly ToolCount[] = [...new Set(toolRows.map(({ allowedBy }) => allowedBy))];
/** Counts of tools that a limit of tool calls limits. */
export const callCounts: readonly ToolCount[] = toolRows
  .filter(({ quantity }) => (table[quantity] as QuantityRow).isCall)
  .map(({ allowedBy }) => allowedBy);

/** The order of tokens in a prompt: cached tokens precede new ones. Null for tokens of the output. */
const placeInPrompt: Readonly<Record<TokenQuantity, number | null>> = {
  cachedInput: 1,
  cachedAudioInput: 2,
  cachedImageInput: 3,
  cacheWrite: 4,
  cacheWrite1h: 5,
  audioInput: 6,
  imageInput: 7,
  input: 8,
  output: null,
  reasoning: null,
  audioOutput: null,
  imageOutput: null,
};

/** Quantities of the prompt, in the order of the prompt. */
export const promptQuantities = tokenQuantities
  .filter((quantity) => placeInPrompt[quantity] !== null)
  .sort((left, right) => (placeInPrompt[left] ?? 0) - (placeInPrompt[right] ?? 0));

const ofPrompt = new Set<Quantity>(promptQuantities);
const ofTokens = new Set<Quantity>(tokenQuantities);
const ofVideos = new Set<Quantity>(ofKinds('video'));

export const isPromptQuantity = (quantity: Quantity): boolean => ofPrompt.has(quantity);
export const isTokenQuantity = (quantity: Quantity): quantity is TokenQuantity => ofTokens.has(quantity);
/** The count that one price is for: a million tokens, or one of any other quantity. */
export const pricedPer = Object.fromEntries(
  quantities.map((quantity) => [quantity, ofTokens.has(quantity) ? 1_000_000 : 1]),
) as Readonly<Record<Quantity, number>>;
/** Whether it is a unit whose price may depend on the resolution of a video. */
export const isVideoQuantity = (quantity: Quantity): boolean => ofVideos.has(quantity);

type Fallbacks = ReadonlyArray<readonly [part: Quantity, whole: Quantity]>;

const fallbacksBy = (field: 'else' | 'fresh'): Fallbacks =>
  quantities.flatMap((part): Fallbacks => {
    const whole = (table[part] as QuantityRow)[field];
    return whole === undefined ? [] : [[part, whole as Quantity]];
  });

/** Quantities without a price of their own cost what another quantity costs. */
export const priceFallbacks = fallbacksBy('else');

/** Fallbacks of cached tokens of a kind without a price of their own. They have the same discount as cached text. */
export const cachedFallbacks = fallbacksBy('fresh');
