import { InvalidInputError } from '../../shared/errors.js';
import type { Queries } from './aggregate.js';
import type { Range } from './read-plan.js';
import { logFrom, type RollupState } from './rollups.js';

/** Maximum number of log rows that a question reads without an index on its conditions. They take one to three seconds. */
export const maxLogRows = 100_000;
/** The longest range of such a question in seconds: 31 days and the hour of a clock change. */
export const maxLogSeconds = 31 * 86_400 + 3600;

/** A condition on log rows that an index of the log serves: one that begins with its column and goes on with the time. */
interface IndexedCondition {
  readonly column: string;
  /** SQL. On types, it excludes charged calls, as the index on types does. */
  readonly sql: string;
}

/** Returns SQL of the number of log rows that Postgres reads in a range: those that the best of the indexes leaves. */
export function logRowsSql(range: Range, conditions: readonly IndexedCondition[], state: RollupState): string {
  const counts = [{ columns: [], sql: 'TRUE' }, ...conditions.map(({ column, sql }) => ({ columns: [column], sql }))];
  const sums = counts.flatMap(({ columns, sql }) => logFrom({ range, columns, condition: sql }, state) ?? []);
  return `least(${sums.map((from) => `(SELECT coalesce(sum(entries), 0) FROM ${from})`).join(', ')})`;
}

/**
 * Refuses a question that reads too many log rows.
 * @param sql the number of rows, with the placeholders of `values`
 * @param reader the question, and `field` its range, in the message
 * @throws AppError INVALID_INPUT
 */
export async function assertFewLogRows(
  database: Queries,
  { sql, values }: { readonly sql: string; readonly values: unknown[] },
  { reader, field }: { readonly reader: string; readonly field: string },
): Promise<void> {
  const [row] = await database.query<Array<{ rows: string }>>(`SELECT (${sql})::text AS rows`, values);
  const rows = Number(row?.rows ?? 0);
  if (rows <= maxLogRows) return;
  throw new InvalidInputError(
    `${reader} may read ${maxLogRows} rows of the log, and this range has ${rows}: use a shorter range, or a filter by user, channel, model or group`,
    field,
  );
}
