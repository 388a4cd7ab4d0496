import { searchable } from '../../shared/json.js';
import { callTypes, creditTypes, LogType } from '../../shared/log-type.js';
import { durationMsOf, errorCodeOf } from '../../shared/logged-details.js';
import { leavesOutCredits, type LogFilter } from './log-conditions.js';

/**
 * Whether a row that was already read matches the filter, with the same result as the list's SQL. Times are ignored.
 */
export function matchesLog(row: LogFields, filter: LogFilter): boolean {
  const { types, userIds, username, tokenIds, tokenName, models, groups, channelIds, requestId } = filter;
  const { errorCodes, durationAtLeast, durationBelow } = filter;
  const { quotaAtLeast = -Infinity, quotaBelow = Infinity } = filter;
  const quota = Number(row.quota);
  return (
    quota >= quotaAtLeast &&
    quota < quotaBelow &&
    !(leavesOutCredits(filter) && creditTypes.includes(row.type)) &&
    (errorCodes === undefined ||
      (row.type === (LogType.error as number) && isAmong(errorCodes, errorCodeOf(row.other)))) &&
    isWithin(row, durationAtLeast, durationBelow) &&
    isAmong(types, row.type) &&
    isAmong(userIds, row.userId) &&
    isAmong(tokenIds, row.tokenId) &&
    isAmong(channelIds, row.channelId) &&
    isAmong(groups, row.group) &&
    isAmong(username === undefined ? undefined : [username], row.username) &&
    isAmong(tokenName === undefined ? undefined : [tokenName], row.tokenName) &&
    isAmong(requestId === undefined ? undefined : [requestId], row.requestId) &&
    (models === undefined || models.some((model) => matchesModel(row.modelName, searchable(model))))
  );
}

/** The columns that the filter compares. */
export interface LogFields {
  readonly type: number;
  readonly userId: number;
  readonly username: string;
  readonly tokenId: number;
  readonly tokenName: string;
  readonly modelName: string;
  readonly group: string;
  readonly channelId: number;
  readonly requestId: string;
  /** A whole number, or the text that Postgres returns. */
  readonly quota: number | string;
  /** Whole seconds. */
  readonly useTime: number;
  /** JSON text of the details. */
  readonly other: string;
}

/** Whether the row is of a call that took so many milliseconds. Without bounds every row is. */
function isWithin(row: LogFields, atLeast: number | undefined, below: number | undefined): boolean {
  if (atLeast === undefined && below === undefined) return true;
  if (!callTypes.includes(row.type)) return false;
  const duration = durationMsOf(row);
  return duration >= (atLeast ?? 0) && duration < (below ?? Infinity);
}

const isAmong = <Value>(wanted: readonly Value[] | undefined, value: Value): boolean =>
  wanted === undefined || wanted.some((one) => searchable(one) === value);

function matchesModel(name: string, pattern: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let place = first.length;
  for (const part of others) {
    const found = name.indexOf(part, place);
    if (found < 0) return false;
    place = found + part.length;
  }
  return name.length - last.length >= place && name.endsWith(last);
}
