import { assertFewLogRows, logRowsSql, type Queries, type RollupState } from '../../billing/rollups/index.js';
import { LogType } from '../../shared/log-type.js';
import { andLogFields, columnsOf, isPattern, rangeOf, Where, type LogFilter } from './log-conditions.js';

/**
 * Refuses a list by cost or details when it reads too many rows: all rows of the range that the indexes on its other fields leave.
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
    { sql: logRowsSql(rangeOf(filter), conditions, state), values },
    { reader: 'A list by cost, duration or code of error', field: 'filter.at' },
  );
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
