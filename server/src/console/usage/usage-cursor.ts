import { InvalidInputError } from '../../shared/errors.js';
import type { GroupRow } from './usage-statements.js';
import type { Position } from './usage-query.js';
import type { UsageDimension, UsageOrder, UsageQuery, UsageQuestion } from './usage-question.js';

/** Returns the order of the rows: the requested one, else by time and key with buckets, and by quota without. */
export function orderOf({ orderBy, bucket }: UsageQuestion): readonly UsageOrder[] {
  if (orderBy.length > 0) return orderBy;
  const first = { metric: bucket === null ? ('QUOTA' as const) : ('TIME' as const), of: 'CURRENT' as const };
  return [{ ...first, direction: bucket === null ? 'DESC' : 'ASC' }];
}

/** Whether rows are in the order of time and key, which new calls do not change. */
export const isByPlace = (order: readonly UsageOrder[], { current, dimensions }: UsageQuery): boolean => {
  const wanted = placeOrder({ current, dimensions }).map(({ metric }) => metric);
  const given = order.map(({ metric }) => metric);
  return (
    order.every(({ direction }) => direction === 'ASC') &&
    // The keys need not be listed.
    given.every((metric, index) => metric === wanted[index]) &&
    (given.length === wanted.length || (given.length === 1 && given[0] === 'TIME') || wanted.length === 0)
  );
};

export const placeOrder = ({ current, dimensions }: Pick<UsageQuery, 'current' | 'dimensions'>): UsageOrder[] =>
  [...(current.starts ? (['TIME'] as const) : []), ...(dimensions.length > 0 ? (['KEY'] as const) : [])].map(
    (metric) => ({
      metric,
      of: 'CURRENT',
      direction: 'ASC',
    }),
  );

/** A cursor is the start of the last row's bucket and its key. */
export const toCursor = (row: GroupRow, { current }: UsageQuery): string =>
  Buffer.from(
    JSON.stringify([row.bucket === null ? null : (current.starts?.[row.bucket] ?? null), ...row.keys]),
  ).toString('base64url');

/**
 * Reads a cursor.
 * @throws AppError INVALID_INPUT for a cursor of a different query
 */
export function fromCursor(cursor: string, { current, dimensions }: UsageQuery): Position {
  const refused = new InvalidInputError('The cursor belongs to a different query', 'after');
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw refused;
  }
  if (!Array.isArray(parsed) || parsed.length !== dimensions.length + 1) throw refused;
  const [start, ...keys] = parsed as [number | null, ...Array<number | string>];
  const texts: readonly UsageDimension[] = ['MODEL', 'GROUP', 'CHANNEL_TAG', 'ENDPOINT', 'ERROR', 'UPSTREAM_KEY'];
  const fits = keys.every((key, n) =>
    texts.includes(dimensions[n] ?? 'USER') ? typeof key === 'string' : Number.isSafeInteger(key),
  );
  const bucket = current.starts ? current.starts.indexOf(start ?? NaN) : null;
  if (!fits || (bucket !== null && bucket < 0) || (bucket === null && start !== null)) throw refused;
  return { bucket, keys };
}
