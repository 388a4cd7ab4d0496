import type { PanelPartsFragment } from './dashboards.generated.js';
import { withoutHoles, type Buckets, type Granularity } from './usageSeries.js';

/** Turns a response into series, slices and rows, by the shape that the server derived from the query. */
export type Shape = NonNullable<PanelPartsFragment['shape']>;
/** `field` is the path in the names of the schema. Absent: the path has no alias. */
export type Column = Pick<Shape['columns'][number], 'path' | 'kind'> & { readonly field?: string };

/** The names that say what a column is. An alias is the author's word, and says nothing. */
export const fieldOf = ({ field, path }: Column): string => field ?? path;

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
export function numberAt(row: unknown, { path }: Pick<Column, 'path'>): number | null {
  const value = valueAt(row, path);
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** Whether a column says that its row is the one of everything else. */
export const isOthersMark = (column: Column): boolean => /(^|\.)isOthers$/.test(fieldOf(column));

export interface Named {
  readonly name: string;
  readonly isOthers: boolean;
}

const lastName = ({ path }: Column): string => path.slice(path.lastIndexOf('.') + 1);

/** The name of a row, from all of its texts. `key.isOthers` marks the row of everything else. */
export function nameOf(row: unknown, columns: readonly Column[], other: string): Named {
  const isOthers = columns.some(
    (column) => column.kind === 'BOOLEAN' && isOthersMark(column) && valueAt(row, column.path) === true,
  );
  if (isOthers) return { name: other, isOthers };
  const texts = columns.filter(({ kind }) => kind === 'TEXT');
  const isId = (column: Column): boolean => /(^id|Id)$/.test(lastName(column));
  const textsOf = (some: readonly Column[]): string[] =>
    some
      .map(({ path }) => valueAt(row, path))
      .filter((text) => text !== null && text !== undefined && text !== '')
      .map(String);
  const ids = texts.filter(isId);
  const names = textsOf(ids.length < texts.length ? texts.filter((column) => !isId(column)) : texts);
  // Users and channels that were deleted have no name any more.
  const shown = names.length > 0 ? names : textsOf(ids).map((id) => `#${id}`);
  return { name: shown.join(' · ') || '–', isOthers };
}

export interface PanelSeries extends Named {
  /** Null: there is no value, as of a percentile of no calls. */
  readonly values: ReadonlyArray<number | null>;
}

export interface OverTime {
  /** A moment of each bucket, Unix milliseconds, ascending. Those of rows are the starts of their buckets. */
  readonly starts: readonly number[];
  readonly granularity: Granularity;
  readonly series: readonly PanelSeries[];
}

/** Durations, shares, rates and prices, which have no value where there are no calls, and amounts of one moment. */
const measured =
  /(Ms|Share|Rate|[pP]er(Minute|Second)|[rR]atio|[fF]actor|[pP]rice|markup|uptime|coverage|daysLeft|balances?|balanceUsd|inviteEarnings|unusedCodes|liability(Usd)?)$/;

/** A share of the range before, by the name of what changed: `change.quota`. */
export const isChange = (column: Column): boolean => /(^|\.)change\.\w+$/.test(fieldOf(column));

/** Whether a column counts calls, amounts or users: where it has no row, it is 0. */
const isCounted = (column: Column): boolean =>
  isNumeric(column) && !measured.test(fieldOf(column)) && !isChange(column);

/** Whether values add up. Users do not: one may be in several rows. */
export const isSum = (column: Column): boolean => isCounted(column) && !/activeUsers$/.test(fieldOf(column));

/** Whether a column is of the range that the rows are compared with. */
export const isCompared = (column: Column): boolean => /(^|\.)compared/.test(fieldOf(column));

/** The column of the same name in the compared range. */
export const comparedWith = (column: Column, all: readonly Column[]): Column | undefined =>
  all.find((one) => isCompared(one) && lastName(one) === lastName(column));

/** The first number of a range, and the others. Those of the compared range are left out. */
export const numbersOf = (columns: readonly Column[]): readonly Column[] =>
  columns.filter((column) => isNumeric(column) && !isCompared(column));

/** Returns the column of the same name in another result. */
export const sameName = (column: Column, all: readonly Column[]): Column | undefined =>
  numbersOf(all).find((one) => lastName(one) === lastName(column));

/**
 * Series over the first moment of the rows: one for each name, or one for each number where rows have no texts. A moment
 * without a row has 0 of what is counted, and else no value; null is no value. Returns null without a moment or a number.
 * @param labelOf the name of a column
 * @param known the buckets of the chart. Absent: those of the rows, and those between
 */
export function seriesOverTime(
  rows: readonly unknown[],
  columns: readonly Column[],
  labelOf: (column: Column) => string,
  other: string,
  known?: Buckets,
): OverTime | null {
  const time = columns.find(({ kind }) => kind === 'TIME');
  const numbers = numbersOf(columns);
  const [first] = numbers;
  if (!time || !first) return null;
  const startOf = (row: unknown): number => new Date(String(valueAt(row, time.path))).getTime();
  const { starts, granularity } =
    known ??
    withoutHoles([...new Set(rows.map(startOf))].filter((start) => !Number.isNaN(start)).sort((one, two) => one - two));
  const places = new Map(starts.map((start, index) => [start, index]));
  const series = new Map<string, Named & { values: Array<number | null> }>();
  const add = (row: unknown, named: Named, column: Column): void => {
    const place = places.get(startOf(row));
    if (place === undefined) return;
    const id = `${String(named.isOthers)} ${named.name}`;
    const one = series.get(id) ?? { ...named, values: starts.map(() => (isCounted(column) ? 0 : null)) };
    series.set(id, one);
    const value = numberAt(row, column);
    one.values[place] = value !== null && isSum(column) ? value + (one.values[place] ?? 0) : value;
  };
  const isGrouped = columns.some(({ kind }) => kind === 'TEXT');
  for (const row of rows) {
    if (isGrouped) add(row, nameOf(row, columns, other), first);
    else for (const column of numbers) add(row, { name: labelOf(column), isOthers: false }, column);
  }
  return { starts, granularity, series: othersLast([...series.values()]) };
}

/**
 * Values of the compared range, one for each moment of a chart: of all series together where they are stacked, else of
 * each number that the query compares. Empty where it compares nothing.
 */
export function earlierSeries(
  rows: readonly unknown[],
  columns: readonly Column[],
  labelOf: (column: Column) => string,
  buckets: Buckets,
  isStacked: boolean,
): ReadonlyArray<{ readonly name: string; readonly values: ReadonlyArray<number | null> }> {
  const times = columns.filter(({ kind }) => kind !== 'TEXT' && kind !== 'BOOLEAN');
  const pairs = numbersOf(columns).flatMap((column) => {
    const compared = comparedWith(column, columns);
    return compared ? [{ column, compared }] : [];
  });
  const isGrouped = columns.some(({ kind }) => kind === 'TEXT');
  if (isGrouped && !isStacked) return [];
  const lines = pairs.map(({ column, compared }) => {
    const time = times.filter(({ kind }) => kind === 'TIME');
    // Without the mark of a compared column, it is a number like any other.
    const plain = { path: compared.path, kind: column.kind, field: column.path };
    const values = seriesOverTime(rows, [...time, plain], () => '', '', buckets)?.series[0]?.values ?? [];
    return { name: pairs.length > 1 ? labelOf(column) : '', values };
  });
  const [first, ...others] = lines;
  if (!first || !isStacked) return lines;
  const sum = (one: number | null, index: number): number =>
    others.reduce((all, { values }) => all + (values[index] ?? 0), one ?? 0);
  return [{ name: '', values: first.values.map(sum) }];
}

/** Groups of stacked columns that are shown by themselves beside "Other". */
export const namedSeries = 5;

/**
 * Splits the groups of stacked columns whose query has a row for everything else.
 * @returns `whole`: the first groups, and all others as one; `parts`: these others. Without parts, all are in `whole`
 */
export function splitOthers(
  { series }: Pick<OverTime, 'series'>,
  columns: readonly Column[],
  other: string,
): { readonly whole: readonly PanelSeries[]; readonly parts: readonly PanelSeries[] } {
  const named = series.filter(({ isOthers }) => !isOthers);
  if (!columns.some(isOthersMark) || named.length <= namedSeries) return { whole: series, parts: [] };
  const parts = [...named.slice(namedSeries), ...series.filter(({ isOthers }) => isOthers)];
  const sums =
    parts[0]?.values.map((_, index) => parts.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)) ?? [];
  return { whole: [...named.slice(0, namedSeries), { name: other, isOthers: true, values: sums }], parts };
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
