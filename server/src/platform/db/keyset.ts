import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { InvalidInputError } from '../../shared/errors.js';
import type { ListQuery, Slice, SortBy } from '../../shared/page.js';
import { isUnreadableValue } from '../../shared/postgres-error.js';

/** A key by which a list can be sorted. */
export interface SortKey<Row> {
  /** SQL expression. Times must be truncated to milliseconds, the precision of a cursor (`milliseconds`). */
  readonly sql: string;
  readonly value: (row: Row) => SortValue;
  /** Set when the value may be null. Null sorts last in both directions. */
  readonly nullable?: true;
}
export type SortValue = string | number | boolean | Date | null;

/** The sort keys of a list. They must contain a unique key under `id`, which breaks ties. */
export type SortKeys<Row, Field extends string = string> = Readonly<Record<Field | 'id', SortKey<Row>>>;

type Stored = string | number | boolean | null;

/**
 * Returns the order of one read: the requested sorts, then the id in the direction of the last sort.
 * @throws InvalidInputError for a field that is named twice
 */
export function orderOf<Field extends string>(
  sort: ReadonlyArray<SortBy<Field>>,
  fallback: SortBy<Field | 'id'>,
): ReadonlyArray<SortBy<Field | 'id'>> {
  const asked: ReadonlyArray<SortBy<Field | 'id'>> = sort.length > 0 ? sort : [fallback];
  if (new Set(asked.map(({ field }) => field)).size < asked.length) {
    throw new InvalidInputError('A list can be sorted by a field only once', 'sort');
  }
  const last = asked.at(-1) ?? fallback;
  return asked.some(({ field }) => field === 'id') ? asked : [...asked, { field: 'id', direction: last.direction }];
}

/** Returns a cursor. It is opaque to clients, and contains its order and the last row's values in that order. */
export function encodeCursor(order: readonly SortBy[], values: readonly SortValue[]): string {
  const stored = values.map((value) => (value instanceof Date ? value.toISOString() : value));
  return Buffer.from(JSON.stringify([nameOf(order), ...stored])).toString('base64url');
}

/** @throws InvalidInputError for text that is not a cursor of this order */
export function decodeCursor(cursor: string, order: readonly SortBy[]): readonly Stored[] {
  const wrong = new InvalidInputError('Invalid cursor for a list with this sort', 'after');
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(cursor.slice(0, 4000), 'base64url').toString('utf8'));
  } catch {
    throw wrong;
  }
  if (!Array.isArray(parsed) || parsed.length !== order.length + 1 || parsed[0] !== nameOf(order)) throw wrong;
  const values: unknown[] = parsed.slice(1);
  if (!values.every(isStored)) throw wrong;
  return values;
}

/**
 * Runs a read of rows after a cursor. Only the database knows the types of the columns, so it refuses values that do
 * not fit.
 * @param after the cursor; null when there is none
 * @throws InvalidInputError for a cursor with values of other types
 */
export async function readBehind<Rows>(after: string | null, read: () => Promise<Rows>): Promise<Rows> {
  try {
    return await read();
  } catch (error) {
    if (after === null || !isUnreadableValue(error)) throw error;
    throw new InvalidInputError('Invalid cursor for this list', 'after');
  }
}

const isStored = (value: unknown): value is Stored =>
  value === null || typeof value === 'boolean' || typeof value === 'number' || isPlainText(value);
/** Whether a value is a text without NUL, which Postgres does not accept. */
const isPlainText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0');
const nameOf = (order: readonly SortBy[]): string =>
  order.map(({ field, direction }) => `${field} ${direction}`).join(', ');

/**
 * Returns the condition "after this row" for any mix of directions.
 * @param bind stores a value and returns its placeholder
 */
export function afterCondition(
  keys: ReadonlyArray<{ sql: string; direction: 'ASC' | 'DESC'; nullable?: true }>,
  values: readonly Stored[],
  bind: (value: Stored) => string,
): string {
  const places = values.map((value) => (value === null ? null : bind(value)));
  const branches: string[] = [];
  keys.forEach(({ sql, direction, nullable }, depth) => {
    const place = places[depth];
    // Nulls sort last, so nothing comes after them.
    if (place == null) return;
    const beyond = `${sql} ${direction === 'ASC' ? '>' : '<'} ${place}`;
    const equal = keys
      .slice(0, depth)
      .map((key, n) => (places[n] == null ? `${key.sql} IS NULL` : `${key.sql} = ${places[n]}`));
    branches.push([...equal, nullable ? `(${beyond} OR ${sql} IS NULL)` : beyond].join(' AND '));
  });
  return branches.length > 0 ? `(${branches.map((branch) => `(${branch})`).join(' OR ')})` : 'FALSE';
}

/** Returns a `timestamptz` column as sort key, truncated because JavaScript dates have no microseconds. */
export const milliseconds = (sql: string): string => `date_trunc('milliseconds', ${sql})`;

/**
 * Reads one page of a query that has its conditions and no order, by offset or after a cursor.
 * @throws InvalidInputError for a cursor of another sort, or a forged one
 */
export async function readSlice<Row extends ObjectLiteral, Field extends string>(
  select: SelectQueryBuilder<Row>,
  query: ListQuery<Field>,
  sortKeys: SortKeys<Row, Field>,
  fallback: SortBy<Field | 'id'> = newestFirst,
): Promise<Slice<Row>> {
  const order = orderOf(query.sort, fallback);
  const keys = order.map(({ field, direction }) => ({ ...sortKeys[field], direction }));
  const counted = select.clone();
  const page = startAfter(select.clone(), query.after, order, keys);
  orderByKeys(page, keys);
  page.offset(query.after === null ? query.page * query.pageSize : 0).limit(query.pageSize + 1);
  const rows = await readBehind(query.after, () => page.getMany());
  return sliceOf(rows, query, order, keys, async () => counted.getCount());
}

const newestFirst = { field: 'id', direction: 'DESC' } as const;

/** The owners of rows, for `readSlicesByOwner`. */
export interface Owners<Row> {
  /** The column with the owner's id. */
  readonly sql: string;
  readonly of: (row: Row) => number;
  readonly ids: readonly number[];
}

/**
 * Reads a page for each of several owners, like `readSlice`, in one statement. A cursor continues the list of each
 * owner.
 * @throws InvalidInputError for a cursor of another sort, or a forged one
 */
export async function readSlicesByOwner<Row extends ObjectLiteral, Field extends string>(
  select: SelectQueryBuilder<Row>,
  query: ListQuery<Field>,
  sortKeys: SortKeys<Row, Field>,
  owners: Owners<Row>,
): Promise<Map<number, Slice<Row>>> {
  const order = orderOf(query.sort, newestFirst);
  const keys = order.map(({ field, direction }) => ({ ...sortKeys[field], direction }));
  const owned = select.clone().andWhere(`${owners.sql} = ANY (:owners)`, { owners: [...owners.ids] });
  const inOrder = keys.map(({ sql, direction, nullable }) => `${sql} ${direction}${nullable ? ' NULLS LAST' : ''}`);
  const id = `${select.alias}.id`;
  const places = startAfter(owned.clone(), query.after, order, keys)
    .select(id, 'id')
    .addSelect(`row_number() OVER (PARTITION BY ${owners.sql} ORDER BY ${inOrder.join(', ')})`, 'place');
  const offset = query.after === null ? query.page * query.pageSize : 0;
  const page = owned
    .clone()
    .andWhere(
      `${id} IN (SELECT placed.id FROM (${places.getQuery()}) placed WHERE placed.place > :offset AND placed.place <= :end)`,
    )
    .setParameters({ ...places.getParameters(), offset, end: offset + query.pageSize + 1 });
  orderByKeys(page, keys);
  const rows = await readBehind(query.after, () => page.getMany());
  let counts: Promise<Map<number, number>> | undefined;
  const count = async (): Promise<Map<number, number>> => {
    const counted = await owned
      .clone()
      .select(owners.sql, 'owner')
      .addSelect('count(*)', 'rows')
      .groupBy(owners.sql)
      .getRawMany<{ owner: number; rows: string }>();
    return new Map(counted.map((row) => [row.owner, Number(row.rows)]));
  };
  return new Map(
    owners.ids.map((owner) => {
      const own = rows.filter((row) => owners.of(row) === owner);
      return [owner, sliceOf(own, query, order, keys, async () => (await (counts ??= count())).get(owner) ?? 0)];
    }),
  );
}

/** Replaces the rows of each owner's page by their views, which are read in one statement. */
export async function viewSlices<View extends { readonly id: number }>(
  slices: ReadonlyMap<number, Slice<{ readonly id: number }>>,
  read: (ids: readonly number[]) => Promise<readonly View[]>,
): Promise<Map<number, Slice<View>>> {
  const ids = [...slices.values()].flatMap(({ items }) => items.map(({ id }) => id));
  const views = new Map((await read(ids)).map((view) => [view.id, view]));
  return new Map(
    [...slices].map(([owner, slice]) => [
      owner,
      { ...slice, items: slice.items.flatMap(({ id }) => views.get(id) ?? []) },
    ]),
  );
}

interface DirectedKey<Row> extends SortKey<Row> {
  readonly direction: SortBy['direction'];
}

/**
 * Restricts a query to the rows after a cursor.
 * @throws InvalidInputError
 */
function startAfter<Row extends ObjectLiteral>(
  select: SelectQueryBuilder<Row>,
  after: string | null,
  order: readonly SortBy[],
  keys: ReadonlyArray<DirectedKey<Row>>,
): SelectQueryBuilder<Row> {
  if (after === null) return select;
  const parameters: ObjectLiteral = {};
  const condition = afterCondition(keys, decodeCursor(after, order), (value) => {
    const name = `after${Object.keys(parameters).length}`;
    parameters[name] = value;
    return `:${name}`;
  });
  return select.andWhere(condition, parameters);
}

function orderByKeys<Row extends ObjectLiteral>(
  select: SelectQueryBuilder<Row>,
  keys: ReadonlyArray<DirectedKey<Row>>,
): void {
  for (const { sql, direction, nullable } of keys) {
    if (nullable) select.addOrderBy(sql, direction, 'NULLS LAST');
    else select.addOrderBy(sql, direction);
  }
}

/** @param rows the rows of the page, and one further row if there is a next page */
function sliceOf<Row>(
  rows: readonly Row[],
  { pageSize }: ListQuery,
  order: readonly SortBy[],
  keys: ReadonlyArray<DirectedKey<Row>>,
  count: () => Promise<number>,
): Slice<Row> {
  const items = rows.slice(0, pageSize);
  const last = items.at(-1);
  return {
    items,
    endCursor: last
      ? encodeCursor(
          order,
          keys.map(({ value }) => value(last)),
        )
      : null,
    hasNextPage: rows.length > items.length,
    total: async () => ({ count: await count(), capped: false }),
  };
}
