import { ArgsType, Field, InputType, Int } from 'type-graphql';
import { argFields, inputFields, int, ints, nullable, text, texts } from '../../platform/graphql/fields.js';
import { DirectionEnum, enumType, namesOf } from '../../platform/graphql/enums.js';
import { omitNullish, type Nullable } from '../../platform/graphql/nullable.js';
import { bucketZone, TimeRangeObject, zonesOf } from '../../platform/graphql/ranges.js';
import { GraphQLTimeZone } from '../../platform/graphql/scalars.js';
import { maxLogRows } from '../../billing/rollups/index.js';
import { InvalidInputError } from '../../shared/errors.js';
import {
  comparisonSides,
  emptyQuestion,
  logDimensions,
  maxTop,
  maxUsageRows,
  usageDimensions,
  usageMetrics,
  type ComparisonSide,
  type UsageDimension,
  type UsageFilter,
  type UsageMetric,
  type UsageQuestion,
} from './usage-question.js';
import { comparedPeriods, timeBuckets, type ComparedPeriod, type TimeBucket, type WantedRange } from './usage-time.js';
import { secondsIn } from '../../shared/clock.js';

/** The last sentences of descriptions of what the usage tables do not have. */
export const fromLog = `Of the log: at most 31 days, and calls without a log row are missing. Beside users or API keys and in \`MINUTE_5\`, rows are read one by one, at most ${maxLogRows.toLocaleString('en')}: a filter by user, channel, model or group leaves fewer, one by API key does not. Costs 500 once.`;

const DimensionEnum = enumType(
  'UsageDimension',
  namesOf(usageDimensions),
  'What usage is grouped by, beside time. `myUsage` knows USER, TOKEN, MODEL, GROUP, MEMBER and PROJECT only.',
  {
    USER: 'The user who paid.',
    TOKEN: 'The API key.',
    MODEL: 'The model, as clients requested it.',
    CHANNEL: 'The channel that served the call, or was tried last.',
    GROUP: 'The group that the calls were charged by.',
    PROVIDER: 'Provider of the channel; null for deleted channels.',
    CHANNEL_TAG: 'Tag that the channel has now; null for none.',
    ENDPOINT: `Path of the request, with \`{model}\` in place of a model that it names. ${fromLog}`,
    ERROR: `Code of the error; only failed calls that the log has (\`LogErrorEnabled\`). ${fromLog}`,
    UPSTREAM_KEY: `Key of the channel that served the call, of channels with several keys: group by CHANNEL too. ${fromLog}`,
    MEMBER: 'The member of an organisation for whom the key was made.',
    PROJECT: 'The project of an organisation to which the key belongs.',
    USER_COHORT_WEEK: 'Week in which the user signed up, in the time zone of the question.',
  },
);
export const BucketEnum = enumType(
  'TimeBucket',
  namesOf(timeBuckets),
  'Length of a row’s time. Buckets of DAY and longer begin at midnight of the time zone.',
  {
    MINUTE_5: 'Five minutes. Reaches back 48 hours, and is counted by channel and model for the whole site.',
    HOUR: 'One hour.',
    DAY: 'One day, from midnight.',
    WEEK: 'Begins on Monday.',
    MONTH: 'One calendar month.',
  },
);
const MetricEnum = enumType(
  'UsageMetric',
  namesOf(usageMetrics),
  'What rows are ordered by. Rows without a value come last.',
  {
    QUOTA: 'Quota that was charged.',
    CALLS: 'Calls that were answered.',
    FAILED_CALLS: 'Calls that no channel could serve.',
    ERROR_RATE: 'Failed calls among all.',
    PROMPT_TOKENS: 'Model tokens of prompts.',
    COMPLETION_TOKENS: 'Model tokens of answers.',
    CACHED_TOKENS: 'Prompt tokens that the provider read from its cache.',
    CACHED_SHARE: 'Cached tokens among the prompt tokens.',
    TOTAL_TOKENS: 'Prompt and completion tokens.',
    AVERAGE_MS: 'Mean duration of answered calls.',
    P95_MS: 'Duration that 95 % of the answered calls stayed under: `latencyMs(quantile: 0.95)`.',
    UPSTREAM_USD: '`cost.upstreamUsd`; none without known costs. Not for `myUsage`.',
    MARGIN_USD: '`cost.marginUsd`; none without known costs. Not for `myUsage`.',
    MARGIN_SHARE: '`cost.marginUsd` among `cost.usd`; none where that is 0. Not for `myUsage`.',
    KNOWN_USD: '`cost.usd`; none without known costs. Not for `myUsage`.',
    KNOWN_CALLS: '`cost.knownCalls`. Not for `myUsage`.',
    ACTIVE_USERS: '`activeUsers`.',
    TIME: 'Start of the bucket.',
    KEY: 'The dimensions, in the order of `groupBy`; texts by code points.',
  },
);
const SideEnum = enumType('ComparisonSide', namesOf(comparisonSides), 'Which range a metric is taken from.', {
  CURRENT: 'The asked range.',
  PREVIOUS: 'The range that is compared with.',
  DIFFERENCE: 'The range, less the range that is compared with.',
  RATIO: 'The range, divided by the range that is compared with. New groups have none and come last.',
});
const ComparedPeriodEnum = enumType('ComparedPeriod', namesOf(comparedPeriods), 'A range beside the asked one.', {
  PREVIOUS: 'Of the same length, ending where the range begins.',
  PREVIOUS_CALENDAR: 'The whole calendar period before; for ranges that name one.',
  SAME_LAST_WEEK: 'The same times, seven days earlier: as far into last week as the range is into this one.',
  SAME_LAST_YEAR: 'The same times, one year earlier.',
});

@InputType('UsageComparison', { description: 'The range to compare with: a period, or any range. One of the two.' })
export class UsageComparisonInput extends inputFields({
  period: nullable<ComparedPeriod>(() => ComparedPeriodEnum, 'A range that follows from the asked one.'),
  range: nullable<TimeRangeObject>(() => TimeRangeObject, 'Any range, in place of `period`.'),
}) {}

@InputType('UsageOrder', { description: 'One key of the order of rows.' })
export class UsageOrderInput {
  @Field(() => MetricEnum, { description: 'What rows are ordered by.' })
  metric: UsageMetric;

  @Field(() => SideEnum, { defaultValue: 'CURRENT', description: 'Everything but CURRENT needs `compareTo`.' })
  of: ComparisonSide;

  @Field(() => DirectionEnum, { defaultValue: 'DESC', description: 'Which end of the order comes first.' })
  direction: 'ASC' | 'DESC';
}

@InputType('UsageFilter', { description: 'All fields must match. A list matches any of its values.' })
export class UsageFilterInput
  extends inputFields({
    userIds: ints.orNull('Not for `myUsage`.'),
    usernames: texts.orNull('Whole names that users have now. Not for `myUsage`.'),
    tokenIds: ints.orNull('0 is usage without a token: the playground.'),
    memberIds: ints.orNull('`Member.id` for whom the keys were made.'),
    projectIds: ints.orNull('`Project.id` of the keys.'),
    channelIds: ints.orNull('Not for `myUsage`.'),
    channelTags: texts.orNull('Tags that channels have now. Not for `myUsage`.'),
    models: texts.orNull('Whole names.'),
    groups: texts.orNull('Groups that calls were charged by. Whole names.'),
    upstreamKeys: texts.orNull(
      `\`UsageKey.upstreamKeyName\` of keys of channels: filter by channel too. An empty text is the only key of a channel. Not for \`myUsage\`. ${fromLog}`,
    ),
  })
  implements Nullable<UsageFilter> {}

@ArgsType()
export class UsageArgs extends argFields({
  range: nullable<TimeRangeObject>(
    () => TimeRangeObject,
    'When absent: the 30 days until now. Usage is counted by the UTC hour, so `from` is rounded down and `until` up; `UsagePage.range` has the result. A calendar period that is not over ends now, except NEXT_7_DAYS and NEXT_30_DAYS. A range that ends where it begins is empty.',
  ),
  timeZone: nullable<string>(
    () => GraphQLTimeZone,
    `${bucketZone} Days that begin within a UTC hour are moved to its end (\`range.isApproximate\`).`,
  ),
  filter: nullable<UsageFilterInput>(
    () => UsageFilterInput,
    'Only usage that matches every field of the filter. All usage when absent.',
  ),
  bucket: nullable<TimeBucket>(() => BucketEnum, 'When absent: one row per group.'),
  compareTo: nullable<UsageComparisonInput>(
    () => UsageComparisonInput,
    'A second range, which is read beside the first. Absent: none.',
  ),
  orderBy: nullable<UsageOrderInput[]>(
    () => [UsageOrderInput],
    'When absent: by time and key with `bucket`, otherwise by quota.',
  ),
  top: int.orNull(
    `1 to ${maxTop}. Only the first groups by \`orderBy\` over the whole range; with \`bucket\`, all buckets of those.`,
  ),
  page: int.orNull('Starts at 0. Cannot be combined with `after`.'),
  after: text.orNull(
    '`pageInfo.endCursor` of the previous page. Only in the order of time and key, which new calls do not change.',
  ),
}) {
  @Field(() => [DimensionEnum], {
    defaultValue: [],
    description: 'What each row is of, beside its time. Empty: one row for everything.',
  })
  groupBy: UsageDimension[];

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Adds rows of zeros for buckets without usage. Needs `bucket`, and `top` where there are groups.',
  })
  fill: boolean;

  @Field(() => [DimensionEnum], {
    defaultValue: [],
    description:
      'Some of `groupBy`: `top` counts groups of these alone, and each has all of its rows, the highest quota first. Empty: groups of all dimensions.',
  })
  topBy: UsageDimension[];

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Adds a row for everything that `top` left out, one per bucket (`key.isOthers`).',
  })
  others: boolean;

  @Field(() => Int, { defaultValue: 100, description: `1 to ${maxUsageRows}. Others are refused.` })
  pageSize: number;
}

const toSeconds = (date: Date | null | undefined): number | undefined => (date ? secondsIn(date.getTime()) : undefined);

export const toRange = (range: TimeRangeObject | null | undefined): WantedRange => ({
  from: toSeconds(range?.from),
  until: toSeconds(range?.until),
  calendar: range?.calendar ?? undefined,
});

/** Returns the cost of the dimensions and the filter that are read from the log. Arguments that are invalid are absent. */
export const costOfLog = ({ groupBy = [], filter }: Partial<UsageArgs>): number =>
  500 * (groupBy.filter((dimension) => logDimensions.includes(dimension)).length + (filter?.upstreamKeys ? 1 : 0));

/** @throws AppError INVALID_INPUT for `page` beside `after` */
export function toQuestion(args: UsageArgs): UsageQuestion {
  const { page, after, compareTo } = args;
  if (after != null && page != null) throw new InvalidInputError('Use either page or after', 'after');
  return {
    range: toRange(args.range),
    ...zonesOf(args.range, args.timeZone),
    filter: omitNullish<UsageFilter>(args.filter ?? {}),
    groupBy: args.groupBy,
    bucket: args.bucket ?? null,
    fill: args.fill,
    compareTo: compareTo
      ? {
          period: compareTo.period ?? undefined,
          range: compareTo.range ? toRange(compareTo.range) : undefined,
          timeZone: compareTo.range?.timeZone ?? undefined,
        }
      : null,
    orderBy: args.orderBy ?? [],
    top: args.top ?? null,
    topBy: args.topBy,
    others: args.others,
    page: page ?? 0,
    pageSize: args.pageSize,
    after: after ?? null,
  };
}

/** Arguments of `usage` on a user, token or channel. */
@ArgsType()
export class UsageSumArgs {
  @Field(() => TimeRangeObject, { nullable: true, description: 'When absent: the 30 days until now.' })
  range?: TimeRangeObject | null;

  @Field(() => GraphQLTimeZone, {
    defaultValue: 'UTC',
    description: 'Time zone of a calendar period in `range` that names none.',
  })
  timeZone: string;
}

export const toSumQuestion = ({ range, timeZone }: UsageSumArgs): Pick<UsageQuestion, 'range' | 'timeZone'> => ({
  range: toRange(range),
  timeZone: range?.timeZone ?? timeZone ?? emptyQuestion.timeZone,
});
