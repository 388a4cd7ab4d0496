/** Computes the vertical axis of a chart: its marks and the space for them. */

/** The approximate number of marks. The chart library chooses a round step near it. */
export const marks = 4;

interface Values {
  /** Null: there is no value. */
  readonly values: ReadonlyArray<number | null>;
}

/** The highest column of stacked series. */
export const largestSum = (series: readonly Values[]): number =>
  Math.max(
    0,
    ...(series[0]?.values ?? []).map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)),
  );

/** The highest point of a chart: columns are stacked, lines are not. */
export const largestOf = (series: readonly Values[], kind: 'columns' | 'line'): number =>
  kind === 'columns'
    ? largestSum(series)
    : Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));

/**
 * Returns the step between marks from zero to a value: 1, 2 or 5 times a power of ten, as the chart library chooses it.
 */
function stepOf(largest: number): number {
  const rough = largest / marks;
  const power = 10 ** Math.floor(Math.log10(rough));
  const error = rough / power;
  return power * (error >= Math.sqrt(50) ? 10 : error >= Math.sqrt(10) ? 5 : error >= Math.sqrt(2) ? 2 : 1);
}

/**
 * Marks from zero to the first that is not below the largest value.
 * @param minStep the smallest distance between two
 */
export function marksUpTo(largest: number, minStep = 0): number[] {
  if (largest <= 0) return [0];
  const step = Math.max(stepOf(largest), minStep);
  return Array.from({ length: Math.ceil(largest / step - 1e-9) + 1 }, (_, index) => index * step);
}

/**
 * Returns the decimals of marks up to a number of units of a currency: enough to distinguish two marks. None for
 * thousands, six at most.
 */
export function markDigits(largest: number): number {
  if (largest >= 1000) return 0;
  return largest === 0 ? 2 : Math.min(6, Math.max(2, -Math.floor(Math.log10(largest / marks))));
}

/** Pixels of one figure in the font of the marks, and of a point or a comma. */
const figure = 7.4;
const point = 4;
/** Pixels between the marks and the chart, including one for rounding. */
const gap = 10;
const minWidth = 44;

/** Room in pixels for the longest of these marks. The chart library would shorten marks that are wider. */
export const axisWidth = (labels: readonly string[]): number =>
  Math.max(
    minWidth,
    ...labels.map((label) =>
      Math.ceil(gap + [...label].reduce((sum, letter) => sum + (/[.,]/.test(letter) ? point : figure), 0)),
    ),
  );
