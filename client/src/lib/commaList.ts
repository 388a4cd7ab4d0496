/** `a, b,,a` → `['a', 'b']`: the stored form of lists is text with commas. */
export const fromCommaList = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  ),
];
