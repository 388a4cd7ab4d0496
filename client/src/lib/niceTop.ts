/**
 * A little above the largest value: 1, 2 or 5 times a power of ten for each of four lines.
 *
 * @param whole lines stand at whole numbers only
 */
export function niceTop(largest: number, whole = false): number {
  if (largest <= 0) return 4;
  const step = whole ? Math.max(1, largest / 4) : largest / 4;
  const power = 10 ** Math.floor(Math.log10(step));
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= step) ?? 10;
  return factor * power * 4;
}
