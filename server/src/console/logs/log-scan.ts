import {
  assertFewLogRows,
  logRowsSql,
  maxLogRows,
  type Queries,
  type RollupState,
} from '../../billing/rollups/index.js';
import { secondsIn } from '../../shared/clock.js';
import { LogType } from '../../shared/log-type.js';
import { andLogFields, columnsOf, isPattern, rangeOf, Where, type LogFilter } from './log-conditions.js';

/**
 * Refuses a list by details when it reads too many rows: all rows of the range that the indexes on its other fields leave.
 * @throws AppError INVALID_INPUT
 */
export async function assertFewScanned(database: Queries, filter: LogFilter, state: RollupState): Promise<void> {
  // The index on request ids leaves the rows of one call.
  if (filter.requestId !== undefined) return;
  const values: unknown[] = [];
  const conditions = indexedFields(filter).flatMap((part) =>
    columnsOf(part).map((column) => ({ column, sql: andLogFields(new Where(values), part).toString() })),
  );
  await assertFewLogRows(
    database,
    { sql: `least(${logRowsSql(rangeOf(filter), conditions, state)}${slowRows(filter, values)})`, values },
    { reader: 'A list by duration or code of error', field: 'filter.at' },
  );
}

/** Seconds from which the index on slow calls has a call. */
const slow = 10;

/** Returns SQL of the number of rows of slow calls, after a comma, for a list of none but these. */
function slowRows({ from, until, durationAtLeast = 0 }: LogFilter, values: unknown[]): string {
  const useTime = Math.floor(secondsIn(durationAtLeast));
  if (useTime < slow) return '';
  const where = new Where(values).and('use_time >= ?', useTime);
  if (from !== undefined) where.and('created_at >= ?', from);
  if (until !== undefined) where.and('created_at < ?', until);
  return `, (SELECT count(*) FROM (SELECT FROM logs WHERE ${where.toString()} LIMIT ${maxLogRows + 1}) slow)`;
}

/** Returns the fields that an index serves, each apart. Calls are not in the index on types, except failed ones. */
const indexedFields = (filter: LogFilter): LogFilter[] => {
  const { userIds, channelIds, groups, tokenName, models, types, errorCodes } = filter;
  const failed = errorCodes === undefined ? types : [LogType.error];
  return [
    ...[{ userIds }, { channelIds }, { groups }, { tokenName }],
    ...(models?.some(isPattern) ? [] : [{ models }]),
    ...(failed?.includes(LogType.consume) ? [] : [{ types: failed }]),
  ];
};
