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
  webSearch: { kind: 'tool' },
  groundedPrompt: { kind: 'tool' },
  mapsPrompt: { kind: 'tool' },
  fileSearch: { kind: 'tool' },
  codeExecution: { kind: 'tool' },
  image: { kind: 'product' },
  second: { kind: 'video' },
  secondWithAudio: { kind: 'video', else: 'second' },
  page: { kind: 'product' },
  character: { kind: 'product' },
  request: { kind: 'product' },
} as const satisfies Readonly<Record<string, QuantityRow>>;

type Table = typeof table;
export type Quantity = keyof Table;
type OfKind<K extends Kind> = { [Q in Quantity]: Table[Q]['kind'] extends K ? Q : never }[Quantity];

export type TokenQuantity = OfKind<'text' | 'media'>;
export type UnitQuantity = Exclude<Quantity, TokenQuantity>;
export type ToolQuantity = OfKind<'tool'>;

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
