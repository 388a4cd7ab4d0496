/** `a, b,,a` → `['a', 'b']`: the wire keeps lists as comma texts. */
export const fromCommaList = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  ),
];

export const toCommaList = (items: readonly string[]): string => fromCommaList(items.join(',')).join(',');
