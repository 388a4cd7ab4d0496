import { ArgsType, Field, InputType, Int } from 'type-graphql';
import { omitNullish } from '../../platform/graphql/nullable.js';
import { listArgs, sortInput } from '../../platform/graphql/pagination.js';
import { MillisecondRangeObject, QuotaRangeObject, TimeRangeObject } from '../../platform/graphql/ranges.js';
import { maxLogRows } from '../../billing/rollups/index.js';
import { resolveTimeRange } from '../../shared/time-range.js';
import { LogTypeEnum } from './log.object.js';
import type { LogFilter } from './log-conditions.js';
import type { LogSortKey } from './log.service.js';

/** The last sentences of descriptions of lists that no index has. */
const most = maxLogRows.toLocaleString('en');
const fewer = 'A filter by user, channel, model or group leaves fewer rows to read. Costs 500 once.';
const fewRows = `Refused where more than ${most} rows would be read. ${fewer}`;
const scanned = `Needs \`filter.at\`, of at most 31 days and ${most} rows. ${fewer}`;

@InputType('OwnLogFilter', { description: 'Conditions on log rows. All must match. An empty list matches nothing.' })
export class OwnLogFilterInput {
  @Field(() => TimeRangeObject, { nullable: true, description: 'When the row was written, to the second.' })
  at?: TimeRangeObject | null;

  @Field(() => [LogTypeEnum], { nullable: true, description: 'Only rows of these types. All types when absent.' })
  types?: number[] | null;

  @Field(() => [Int], { nullable: true, description: 'Only rows of these API keys.' })
  tokenIds?: number[] | null;

  @Field(() => String, { nullable: true, description: 'Name of the API key when the row was written.' })
  tokenName?: string | null;

  @Field(() => [String], { nullable: true, description: 'Full names; `*` matches any text.' })
  models?: string[] | null;

  @Field(() => [String], { nullable: true, description: 'Only calls that were routed in these groups.' })
  groups?: string[] | null;

  @Field(() => String, { nullable: true, description: 'Only rows of this call.' })
  requestId?: string | null;

  @Field(() => QuotaRangeObject, {
    nullable: true,
    description: `Quota of a row. Without \`types\` it leaves out credits. ${fewRows}`,
  })
  quota?: QuotaRangeObject | null;

  @Field(() => MillisecondRangeObject, {
    nullable: true,
    description: `Only calls that took so long. ${scanned}`,
  })
  durationMs?: MillisecondRangeObject | null;

  @Field(() => [String], {
    nullable: true,
    description: `Only failed calls with one of these codes, as a whole. ${scanned}`,
  })
  errorCodes?: string[] | null;
}

@InputType('LogFilter', { description: 'Conditions on log rows. All must match. An empty list matches nothing.' })
export class LogFilterInput extends OwnLogFilterInput {
  @Field(() => [Int], { nullable: true, description: 'Only rows of these users.' })
  userIds?: number[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'Rows of the user who has this name now; without such a user, rows under this name.',
  })
  username?: string | null;

  @Field(() => [Int], { nullable: true, description: 'Only calls that these channels served or tried last.' })
  channelIds?: number[] | null;
}

const LogSort = sortInput<LogSortKey>('Log', {
  AT: ['createdAt', 'When the row was written.'],
  QUOTA: ['quota', `Quota that was charged. ${scanned}`],
  DURATION: ['duration', `How long calls took; calls only. ${scanned}`],
});

const sorting =
  'Default: newest first. By quota or duration within `filter.at` of at most 31 days, without cursors, and not below users.';

@ArgsType()
export class OwnLogListArgs extends listArgs(OwnLogFilterInput, LogSort, sorting) {}

@ArgsType()
export class LogListArgs extends listArgs(LogFilterInput, LogSort, sorting) {}

/** Returns the cost of a list that no index has: all rows that the other fields leave are read, also for one row. */
export const costOfScan = ({ filter, sort }: OwnLogListArgs): number => {
  const { quota, durationMs, errorCodes } = filter ?? {};
  const isSorted = sort?.some(({ field }) => field !== 'createdAt') ?? false;
  return isSorted || [quota, durationMs, errorCodes].some((condition) => condition != null) ? 500 : 0;
};

/**
 * Converts the filter.
 * @throws InvalidInputError for an invalid range
 */
export function toLogFilter(input: LogFilterInput | null | undefined): LogFilter {
  const { at, quota, durationMs, ...rest } = input ?? {};
  const { from, until } = resolveTimeRange(at, { field: 'filter.at' });
  // Rows have whole seconds, so the bound is rounded up: a row of second 5 is before 5.5.
  const seconds = (date: Date | null): number | undefined => (date ? Math.ceil(date.getTime() / 1000) : undefined);
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
