/** The number of colours without the one of "Other". */
const colors = 7;

export const chartColor = (index: number): string => `var(--mui-palette-chart-${index % colors})`;
export const failureColor = 'var(--mui-palette-error-main)';
export const otherColor = `var(--mui-palette-chart-${colors})`;

/**
 * Gives series or slices their colours in order.
 * @param from the number of colours that others have
 */
export const colored = <One extends { readonly isOthers: boolean }>(
  all: readonly One[],
  from = 0,
): Array<One & { color: string }> =>
  all.map((one, index) => ({ ...one, color: one.isOthers ? otherColor : chartColor(from + index) }));
