import type { PanelPartsFragment } from './dashboards.generated.js';

/** Turns a response into series, slices and rows, by the shape that the server derived from the query. */
export type Shape = NonNullable<PanelPartsFragment['shape']>;
export type Column = Shape['columns'][number];

/** The value at a path of names, joined with dots. */
export const valueAt = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (one, name) => (typeof one === 'object' ? (one as Record<string, unknown> | null)?.[name] : undefined),
      value,
    );

/** The rows of a response. Without a list it is one row. */
export function rowsOf(data: unknown, { rows }: Shape): readonly unknown[] {
  if (rows == null) return [data];
  const found = valueAt(data, rows);
  return Array.isArray(found) ? found : [];
}

export const isNumeric = ({ kind }: Column): boolean => kind === 'NUMBER' || kind === 'QUOTA';

/** An exact amount of a payment gateway is a text. */
export function numberAt(row: unknown, { path }: Column): number | null {
  const value = valueAt(row, path);
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

export interface Named {
  readonly name: string;
  readonly isOthers: boolean;
}

/** The name of a row, from all of its texts. `key.isOthers` marks the row of everything else. */
export function nameOf(row: unknown, columns: readonly Column[], other: string): Named {
  const isOthers = columns.some(
    ({ kind, path }) => kind === 'BOOLEAN' && /(^|\.)isOthers$/.test(path) && valueAt(row, path) === true,
  );
  if (isOthers) return { name: other, isOthers };
  const texts = columns
    .filter(({ kind }) => kind === 'TEXT')
    .map(({ path }) => valueAt(row, path))
    .filter((text) => text !== null && text !== undefined && text !== '');
  return { name: texts.length > 0 ? texts.map(String).join(' · ') : '–', isOthers };
}

export interface PanelSeries extends Named {
  /** Null: there is no value, as of a percentile of no calls. */
  readonly values: ReadonlyArray<number | null>;
}

export interface OverTime {
  /** Starts of the buckets, Unix milliseconds, ascending. */
  readonly starts: readonly number[];
  readonly series: readonly PanelSeries[];
}

const lastName = ({ path }: Column): string => path.slice(path.lastIndexOf('.') + 1);

/** Whether values add up: counts and amounts do, durations and shares do not. */
export const isSum = (column: Column): boolean =>
  isNumeric(column) && !/(Ms|Share|Rate|[pP]erMinute|coverage)$/.test(lastName(column));

const isCompared = ({ path }: Column): boolean => /(^|\.)compared/.test(path);

/** The column of the same name in the compared range. */
export const comparedWith = (column: Column, all: readonly Column[]): Column | undefined =>
  all.find((one) => isCompared(one) && lastName(one) === lastName(column));

/** The first number of a range, and the others. Those of the compared range are left out. */
export const numbersOf = (columns: readonly Column[]): readonly Column[] =>
  columns.filter((column) => isNumeric(column) && !isCompared(column));

/** The column of the same name among others. */
export const sameName = (column: Column, all: readonly Column[]): Column | undefined =>
  numbersOf(all).find((one) => lastName(one) === lastName(column));

/**
 * Series over the first moment of the rows: one for each name, or one for each number where rows have no texts. A moment
 * without a row has 0 of what adds up, and else no value; null is no value. Returns null without a moment or a number.
 * @param labelOf the name of a column
 * @param known the starts of the chart, if it has more than the rows. Rows of other starts are left out
 */
export function seriesOverTime(
  rows: readonly unknown[],
  columns: readonly Column[],
  labelOf: (column: Column) => string,
  other: string,
  known?: readonly number[],
): OverTime | null {
  const time = columns.find(({ kind }) => kind === 'TIME');
  const numbers = columns.filter(isNumeric);
  const [first] = numbers;
  if (!time || !first) return null;
  const startOf = (row: unknown): number => new Date(String(valueAt(row, time.path))).getTime();
  const starts =
    known ?? [...new Set(rows.map(startOf))].filter((start) => !Number.isNaN(start)).sort((one, two) => one - two);
  const places = new Map(starts.map((start, index) => [start, index]));
  const series = new Map<string, Named & { values: Array<number | null> }>();
  const add = (row: unknown, named: Named, column: Column): void => {
    const place = places.get(startOf(row));
    if (place === undefined) return;
    const id = `${String(named.isOthers)} ${named.name}`;
    const one = series.get(id) ?? { ...named, values: starts.map(() => (isSum(column) ? 0 : null)) };
    series.set(id, one);
    const value = numberAt(row, column);
    one.values[place] = value !== null && isSum(column) ? value + (one.values[place] ?? 0) : value;
  };
  const isGrouped = columns.some(({ kind }) => kind === 'TEXT');
  for (const row of rows) {
    if (isGrouped) add(row, nameOf(row, columns, other), first);
    else for (const column of numbers) add(row, { name: labelOf(column), isOthers: false }, column);
  }
  return { starts, series: othersLast([...series.values()]) };
}

/** One value for each row, for slices and for columns without a moment. Null without a number. */
export function valuesByName(
  rows: readonly unknown[],
  columns: readonly Column[],
  other: string,
): ReadonlyArray<Named & { readonly value: number | null }> | null {
  const column = columns.find(isNumeric);
  if (!column) return null;
  const named = rows.map((row) => ({ ...nameOf(row, columns, other), value: numberAt(row, column) }));
  return [...named.filter(({ isOthers }) => !isOthers), ...named.filter(({ isOthers }) => isOthers)];
}

/** The series of everything else is the last, and left out where it has nothing. */
function othersLast<Series extends PanelSeries>(all: readonly Series[]): Series[] {
  const others = all.filter(({ isOthers, values }) => isOthers && values.some((value) => (value ?? 0) > 0));
  return [...all.filter(({ isOthers }) => !isOthers), ...others];
}
