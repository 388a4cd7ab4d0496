import { ArgsType, InputType } from 'type-graphql';
import { inputFields, ints, nullable, text, texts } from '../../platform/graphql/fields.js';
import { omitNullish } from '../../platform/graphql/nullable.js';
import { listArgs, sortInput } from '../../platform/graphql/pagination.js';
import { MillisecondRangeObject, QuotaRangeObject, TimeRangeObject } from '../../platform/graphql/ranges.js';
import { maxLogRows } from '../../billing/rollups/index.js';
import { resolveTimeRange } from '../../shared/time-range.js';
import { LogTypeEnum } from './log.object.js';
import type { LogFilter } from './log-conditions.js';
import type { LogSortKey } from './log.service.js';
import { ceilSecond, unixSeconds } from '../../shared/clock.js';

/** The last sentences of descriptions of lists by details. */
const scanned = `Needs \`filter.at\`, of at most 31 days and ${maxLogRows.toLocaleString('en')} rows, of calls of at least 10 s if only those are asked for. A filter by user, channel, model or group leaves fewer rows to read. Costs 500 once.`;

@InputType('OwnLogFilter', { description: 'Conditions on log rows. All must match. An empty list matches nothing.' })
export class OwnLogFilterInput extends inputFields({
  at: nullable<TimeRangeObject>(() => TimeRangeObject, 'When the row was written, to the second.'),
  types: nullable<number[]>(() => [LogTypeEnum], 'Only rows of these types. All types when absent.'),
  tokenIds: ints.orNull('Only rows of these API keys.'),
  tokenName: text.orNull('Name of the API key when the row was written.'),
  models: texts.orNull('Full names; `*` matches any text.'),
  groups: texts.orNull('Only calls that were routed in these groups.'),
  requestId: text.orNull('Only rows of this call.'),
  quota: nullable<QuotaRangeObject>(() => QuotaRangeObject, 'Quota of a row. Without `types` it leaves out credits.'),
  durationMs: nullable<MillisecondRangeObject>(
    () => MillisecondRangeObject,
    `Only calls that took so long. ${scanned}`,
  ),
  errorCodes: texts.orNull(`Only failed calls with one of these codes, as a whole. ${scanned}`),
}) {}

@InputType('LogFilter', { description: 'Conditions on log rows. All must match. An empty list matches nothing.' })
export class LogFilterInput extends inputFields(
  {
    userIds: ints.orNull('Only rows of these users.'),
    username: text.orNull('Rows of the user who has this name now; without such a user, rows under this name.'),
    channelIds: ints.orNull('Only calls that these channels served or tried last.'),
  },
  OwnLogFilterInput,
) {}

const LogSort = sortInput<LogSortKey>('Log', {
  AT: ['createdAt', 'When the row was written.'],
  QUOTA: ['quota', 'Quota that was charged, which needs a range of time in the filter. Costs 500 once.'],
  DURATION: ['duration', `How long calls took; calls only. ${scanned}`],
});

const sorting =
  'Default: newest first. By quota or duration within `filter.at` of at most 31 days, without cursors, and not below users.';

@ArgsType()
export class OwnLogListArgs extends listArgs(OwnLogFilterInput, LogSort, sorting) {}

@ArgsType()
export class LogListArgs extends listArgs(LogFilterInput, LogSort, sorting) {}

/** Returns the cost of a list that may read all rows that the other fields leave, also for one row. */
export const costOfScan = ({ filter, sort }: OwnLogListArgs): number =>
  [filter?.durationMs, filter?.errorCodes, filter?.quota].some((one) => one != null) ||
  sort?.some(({ field }) => field !== 'createdAt')
    ? 500
    : 0;

/**
 * Converts the filter.
 * @throws InvalidInputError for an invalid range
 */
export function toLogFilter(input: LogFilterInput | null | undefined): LogFilter {
  const { at, quota, durationMs, ...rest } = input ?? {};
  const { from, until } = resolveTimeRange(at, { field: 'filter.at' });
  // Rows have whole seconds, so the bound is rounded up: a row of second 5 is before 5.5.
  const seconds = (date: Date | null): number | undefined => (date ? unixSeconds(ceilSecond(date)) : undefined);
  return omitNullish<LogFilter>({
    ...rest,
    from: seconds(from),
    until: seconds(until),
    quotaAtLeast: quota?.atLeast,
    quotaBelow: quota?.below,
    durationAtLeast: durationMs?.atLeast,
    durationBelow: durationMs?.below,
  });
}
