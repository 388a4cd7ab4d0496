/** Tokens of an image by its quality, as OpenAI publishes them for its image models: square, portrait, landscape. */
const imageTokens: ReadonlyMap<string, readonly [square: number, high: number, wide: number]> = new Map([
  ['low', [272, 408, 400]],
  ['medium', [1056, 1584, 1568]],
]);
/** Tokens of an image at the highest quality. They also apply if the provider chooses the quality. */
const bestImageTokens = [4160, 6240, 6208] as const;

/**
 * Tokens of each partial image that a stream sends before its image
 * (https://platform.openai.com/docs/guides/image-generation, November 2026).
 */
const tokensOfPartialImage = 100;

/** The terms of one image in a request. */
export interface ImageTerms {
  /** Width and height in pixels, such as `1024x1024`. */
  readonly size: string;
  /** `low` and `medium` cost less than all others. */
  readonly quality: string;
  /** Partial images before it. Default: none. */
  readonly partialImages?: number;
}

/** Returns the published tokens of one image and of its partial images. */
export function tokensOfImage({ size, quality, partialImages = 0 }: ImageTerms): number {
  const [square, high, wide] = imageTokens.get(quality) ?? bestImageTokens;
  const [width = 0, height = 0] = size.split('x').map(Number);
  return (width === height ? square : width > height ? wide : high) + partialImages * tokensOfPartialImage;
}
