import { hour, type Range, readSnapshot, type Snapshots, usageFrom } from '../../../billing/rollups/index.js';

/** An hour in which calls of a model in a group failed. */
export interface FailingHour {
  readonly modelName: string;
  readonly group: string;
  /** Unix seconds of the start. */
  readonly hour: number;
  /** Number of failed calls, without requests that the provider refused as invalid. At least `leastFailures`. */
  readonly failed: number;
  readonly served: number;
}

export interface HourlyFailures {
  readonly failing: readonly FailingHour[];
  /** Models and groups (`nameOf`) with a served call in the last hour of the range. */
  readonly servedLast: ReadonlySet<string>;
}

/** Number of failed calls per hour below which there is no problem: the calls may be of one user. */
export const leastFailures = 3;

interface Row {
  readonly modelName: string;
  readonly group: string;
  readonly hour: string;
  readonly failed: string;
  readonly served: string;
}

const columns = ['model_name', 'group'];

/**
 * Reads failing hours from failed calls by the hour, and the rollups of served calls in the same hours.
 * @param range full hours
 */
export async function readFailingHours(database: Snapshots, range: Range): Promise<HourlyFailures> {
  return readSnapshot(database, async (transaction, state) => {
    const usage = (ranges: readonly Range[]): string =>
      usageFrom(
        { ranges, columns, condition: 'TRUE', longest: 'HOUR', fields: ['hour', 'model_name', '"group"', 'calls'] },
        state,
      );
    // Calls are counted in buckets of five minutes or of an hour.
    const sql = `WITH failing AS (
        SELECT hour, model_name, "group", sum(calls) AS failed FROM model_failures
         WHERE hour >= $1 AND hour < $2 AND kind <> 'REQUEST'
         GROUP BY hour, model_name, "group" HAVING sum(calls) >= ${String(leastFailures)})
      SELECT f.model_name AS "modelName", f."group", f.hour::text AS hour, f.failed::text AS failed,
             coalesce(sum(used.calls), 0)::text AS served
        FROM failing f
        LEFT JOIN ${usage([range])} ON used.model_name = f.model_name AND used."group" = f."group"
             AND used.hour - used.hour % ${String(hour)} = f.hour
       GROUP BY f.model_name, f."group", f.hour, f.failed ORDER BY f.hour`;
    const failing = await transaction.query<Row[]>(sql, [range.from, range.end]);
    const last = await transaction.query<Array<Pick<Row, 'modelName' | 'group'>>>(
      `SELECT DISTINCT model_name AS "modelName", "group" FROM ${usage([{ from: range.end - hour, end: range.end }])} WHERE calls > 0`,
    );
    return {
      failing: failing.map((row) => ({
        ...row,
        hour: Number(row.hour),
        failed: Number(row.failed),
        served: Number(row.served),
      })),
      servedLast: new Set(last.map((row) => nameOf(row.modelName, row.group))),
    };
  });
}

/** Returns a key for a model in a group. */
export const nameOf = (modelName: string, group: string): string => `${group}\0${modelName}`;
