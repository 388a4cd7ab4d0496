/** Converts `a, b,,a` to `['a', 'b']`, because lists are stored as text with commas. */
export const fromCommaList = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  ),
];
