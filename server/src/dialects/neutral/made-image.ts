/** Tokens of an image that OpenAI's image models make, by its quality: square, high, wide. As published by OpenAI. */
const imageTokens: ReadonlyMap<string, readonly [square: number, high: number, wide: number]> = new Map([
  ['low', [272, 408, 400]],
  ['medium', [1056, 1584, 1568]],
]);
/** Also of an image whose quality the provider chooses. */
const bestImageTokens = [4160, 6240, 6208] as const;

/** Tokens of one image, as published. */
export function tokensOfImage({ size, quality }: { readonly size: string; readonly quality: string }): number {
  const [square, high, wide] = imageTokens.get(quality) ?? bestImageTokens;
  const [width = 0, height = 0] = size.split('x').map(Number);
  return width === height ? square : width > height ? wide : high;
}
