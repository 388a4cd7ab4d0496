/** Tokens of an image by its quality, as OpenAI publishes them for its image models: square, portrait, landscape. */
const imageTokens: ReadonlyMap<string, readonly [square: number, high: number, wide: number]> = new Map([
  ['low', [272, 408, 400]],
  ['medium', [1056, 1584, 1568]],
]);
/** Tokens of an image at the highest quality. They also apply if the provider chooses the quality. */
const bestImageTokens = [4160, 6240, 6208] as const;

/** Returns the published tokens of one image. */
export function tokensOfImage({ size, quality }: { readonly size: string; readonly quality: string }): number {
  const [square, high, wide] = imageTokens.get(quality) ?? bestImageTokens;
  const [width = 0, height = 0] = size.split('x').map(Number);
  return width === height ? square : width > height ? wide : high;
}
