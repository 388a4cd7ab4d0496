import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, ArgsType, Ctx, Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import { Access, Cost } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import { DirectionEnum, enumType, namesOf } from '../../graphql/enums.js';
import { omitNullish, type Nullable } from '../../graphql/nullable.js';
import { type PageInfoObject, PageInterface } from '../../graphql/pagination.js';
import { TimeRangeObject } from '../../graphql/ranges.js';
import { GraphQLQuota, GraphQLTimeZone } from '../../graphql/scalars.js';
import { requireRole } from '../../shared/actor.js';
import { InvalidInputError } from '../../shared/errors.js';
import {
  changeOf,
  comparedPeriods,
  comparisonSides,
  emptyQuestion,
  maxTop,
  maxUsageRows,
  timeBuckets,
  usageDimensions,
  usageMetrics,
  type ComparedPeriod,
  type ComparisonSide,
  type TimeBucket,
  type UsageDimension,
  type UsageFilter,
  type UsageKey,
  type UsageMetric,
  type UsageMetrics,
  type UsagePage,
  type UsageQuestion,
  type UsageRow,
  type WantedRange,
} from './usage.service.js';

const DimensionEnum = enumType(
  'UsageDimension',
  namesOf(usageDimensions),
  'What usage is grouped by, beside time. `myUsage` knows USER, TOKEN, MODEL and GROUP only.',
  {
    PROVIDER: 'Provider of the channel; null for deleted channels.',
    CHANNEL_TAG: 'Tag that the channel has now; null for none.',
    USER_COHORT_WEEK: 'Week in which the user signed up, in the time zone of the question.',
  },
);
export const BucketEnum = enumType(
  'TimeBucket',
  namesOf(timeBuckets),
  'Length of a row’s time. Buckets of DAY and longer begin at midnight of the time zone.',
  {
    MINUTE_5: 'Five minutes. Reaches back 48 hours, and is counted by channel and model for the whole site.',
    WEEK: 'Begins on Monday.',
  },
);
const MetricEnum = enumType(
  'UsageMetric',
  namesOf(usageMetrics),
  'What rows are ordered by. Rows without a value come last.',
  { TIME: 'Start of the bucket.', KEY: 'The dimensions, in the order of `groupBy`; texts by code points.' },
);
const SideEnum = enumType('ComparisonSide', namesOf(comparisonSides), 'Which range a metric is taken from.', {
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
export class UsageComparisonInput {
  @Field(() => ComparedPeriodEnum, { nullable: true })
  period?: ComparedPeriod | null;

  @Field(() => TimeRangeObject, { nullable: true })
  range?: TimeRangeObject | null;
}

@InputType('UsageOrder', { description: 'One key of the order of rows.' })
export class UsageOrderInput {
  @Field(() => MetricEnum)
  metric: UsageMetric;

  @Field(() => SideEnum, { defaultValue: 'CURRENT', description: 'Everything but CURRENT needs `compareTo`.' })
  of: ComparisonSide;

  @Field(() => DirectionEnum, { defaultValue: 'DESC' })
  direction: 'ASC' | 'DESC';
}

@InputType('UsageFilter', { description: 'All fields must match. A list matches any of its values.' })
export class UsageFilterInput implements Nullable<UsageFilter> {
  @Field(() => [Int], { nullable: true, description: 'Not for `myUsage`.' })
  userIds?: number[] | null;

  @Field(() => [String], { nullable: true, description: 'Whole names that users have now. Not for `myUsage`.' })
  usernames?: string[] | null;

  @Field(() => [Int], { nullable: true, description: '0 is usage without a token: the playground.' })
  tokenIds?: number[] | null;

  @Field(() => [Int], { nullable: true, description: 'Not for `myUsage`.' })
  channelIds?: number[] | null;

  @Field(() => [String], { nullable: true, description: 'Tags that channels have now. Not for `myUsage`.' })
  channelTags?: string[] | null;

  @Field(() => [String], { nullable: true, description: 'Whole names.' })
  models?: string[] | null;

  @Field(() => [String], { nullable: true })
  groups?: string[] | null;
}

@ArgsType()
export class UsageArgs {
  @Field(() => TimeRangeObject, {
    nullable: true,
    description:
      'When absent: the 30 days until now. Usage is counted by the UTC hour, so `from` is rounded down and `until` up; `UsagePage.range` has the result. A calendar period that is not over ends now.',
  })
  range?: TimeRangeObject | null;

  @Field(() => GraphQLTimeZone, {
    defaultValue: 'UTC',
    description: 'Of calendar periods and buckets. Zones whose days do not begin on a whole UTC hour are refused.',
  })
  timeZone: string;

  @Field(() => UsageFilterInput, { nullable: true })
  filter?: UsageFilterInput | null;

  @Field(() => [DimensionEnum], { defaultValue: [] })
  groupBy: UsageDimension[];

  @Field(() => BucketEnum, { nullable: true, description: 'When absent: one row per group.' })
  bucket?: TimeBucket | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Adds rows of zeros for buckets without usage. Needs `bucket`, and `top` where there are groups.',
  })
  fill: boolean;

  @Field(() => UsageComparisonInput, { nullable: true })
  compareTo?: UsageComparisonInput | null;

  @Field(() => [UsageOrderInput], {
    nullable: true,
    description: 'When absent: by time and key with `bucket`, otherwise by quota.',
  })
  orderBy?: UsageOrderInput[] | null;

  @Field(() => Int, {
    nullable: true,
    description: `1 to ${maxTop}. Only the first groups by \`orderBy\` over the whole range; with \`bucket\`, all buckets of those.`,
  })
  top?: number | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Adds a row for everything that `top` left out, one per bucket (`key.isOthers`).',
  })
  others: boolean;

  @Field(() => Int, { nullable: true, description: 'Starts at 0. Cannot be combined with `after`.' })
  page?: number | null;

  @Field(() => Int, { defaultValue: 100, description: `1 to ${maxUsageRows}.` })
  pageSize: number;

  @Field(() => String, {
    nullable: true,
    description:
      '`pageInfo.endCursor` of the previous page. Only in the order of time and key, which new calls do not change.',
  })
  after?: string | null;
}

const toSeconds = (date: Date | null | undefined, round: (value: number) => number): number | undefined =>
  date ? round(date.getTime() / 1000) : undefined;

export const toRange = (range: TimeRangeObject | null | undefined): WantedRange => ({
  from: toSeconds(range?.from, Math.floor),
  until: toSeconds(range?.until, Math.ceil),
  calendar: range?.calendar ?? undefined,
});

/** @throws AppError INVALID_INPUT for `page` beside `after` */
export function toQuestion(args: UsageArgs): UsageQuestion {
  const { page, after, compareTo } = args;
  if (after != null && page != null) throw new InvalidInputError('Use either page or after', 'after');
  return {
    range: toRange(args.range),
    timeZone: args.range?.timeZone ?? args.timeZone,
    filter: omitNullish<UsageFilter>(args.filter ?? {}),
    groupBy: args.groupBy,
    bucket: args.bucket ?? null,
    fill: args.fill,
    compareTo: compareTo
      ? { period: compareTo.period ?? undefined, range: compareTo.range ? toRange(compareTo.range) : undefined }
      : null,
    orderBy: args.orderBy ?? [],
    top: args.top ?? null,
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

  @Field(() => GraphQLTimeZone, { defaultValue: 'UTC' })
  timeZone: string;
}

export const toSumQuestion = ({ range, timeZone }: UsageSumArgs): Pick<UsageQuestion, 'range' | 'timeZone'> => ({
  range: toRange(range),
  timeZone: range?.timeZone ?? timeZone ?? emptyQuestion.timeZone,
});

@ObjectType('UsageCost', { description: 'What providers charged, for the calls whose provider reports it.' })
export class UsageCostObject {
  @Field(() => Float, { description: 'Charged by the providers.' })
  upstreamUsd: number;

  @Field(() => Float, { description: 'Charged to users for the same calls.' })
  usd: number;

  @Field(() => Float, { description: '`usd` less `upstreamUsd`.' })
  marginUsd: number;

  @Field(() => GraphQLSafeInt, { description: 'Calls whose provider reported a charge.' })
  knownCalls: number;

  @Field(() => Float, { description: 'Share of the answered calls that are known, 0 to 1.' })
  coverage: number;
}

const quantile = { defaultValue: 0.95, description: 'Above 0, at most 1.' };

@ObjectType('UsageMetrics', { description: 'Sums over calls. A failed call is not charged and has no duration.' })
export class UsageMetricsObject {
  constructor(private readonly metrics: UsageMetrics) {
    Object.assign(this, {
      ...{ calls: metrics.calls, streamCalls: metrics.streamCalls, failedCalls: metrics.failedCalls },
      ...{ errorRate: metrics.errorRate, promptTokens: metrics.promptTokens, quota: metrics.quota, usd: metrics.usd },
      ...{ completionTokens: metrics.completionTokens, totalTokens: metrics.totalTokens, averageMs: metrics.averageMs },
      ...{ cachedTokens: metrics.cachedTokens, cachedShare: metrics.cachedShare },
    });
  }

  @Field(() => GraphQLSafeInt, { description: 'Calls that were answered.' })
  calls: number;

  @Field(() => GraphQLSafeInt)
  streamCalls: number;

  @Field(() => GraphQLSafeInt)
  failedCalls: number;

  @Field(() => Float, { nullable: true, description: 'Failed calls among all, 0 to 1; null without calls.' })
  errorRate: number | null;

  @Field(() => GraphQLSafeInt)
  promptTokens: number;

  @Field(() => GraphQLSafeInt)
  completionTokens: number;

  @Field(() => GraphQLSafeInt)
  totalTokens: number;

  @Field(() => GraphQLSafeInt, { description: 'Prompt tokens that the provider read from its cache.' })
  cachedTokens: number;

  @Field(() => Float, { nullable: true, description: 'Cached tokens among the prompt tokens, 0 to 1.' })
  cachedShare: number | null;

  @Field(() => GraphQLQuota)
  quota: number;

  @Field(() => Float, { description: '`quota` in USD, at today’s rate.' })
  usd: number;

  @Field(() => Int, { nullable: true, description: 'Mean duration of answered calls, in milliseconds.' })
  averageMs: number | null;

  @Cost(1)
  @Field(() => Int, {
    nullable: true,
    description: 'Duration in milliseconds that this share of the answered calls stayed under, interpolated.',
  })
  latencyMs(@Arg('quantile', () => Float, quantile) share: number): number | null {
    return this.metrics.latencyMs(checkedShare(share));
  }

  @Cost(1)
  @Field(() => Int, {
    nullable: true,
    description: 'Milliseconds until the first data of streamed answers, for this share of them, interpolated.',
  })
  firstTokenMs(@Arg('quantile', () => Float, quantile) share: number): number | null {
    return this.metrics.firstTokenMs(checkedShare(share));
  }

  @Access('admin')
  @Field(() => UsageCostObject, { nullable: true })
  cost(@Ctx() { actor }: GraphQLContext): UsageCostObject {
    requireRole(actor, 'admin');
    return this.metrics.cost;
  }
}

function checkedShare(share: number): number {
  if (!(share > 0 && share <= 1)) throw new InvalidInputError('A quantile must be above 0 and at most 1', 'quantile');
  return share;
}

@ObjectType('UsageChange', { description: 'Change against the compared range, as a share of it; null from zero.' })
export class UsageChangeObject {
  @Field(() => Float, { nullable: true })
  quota: number | null;

  @Field(() => Float, { nullable: true })
  calls: number | null;

  @Field(() => Float, { nullable: true })
  totalTokens: number | null;
}

@ObjectType('UsageKey', { description: 'The group of a row. Fields of dimensions that are not grouped by are null.' })
export class UsageKeyObject {
  @Field(() => Boolean, { description: 'The row is everything that `top` left out.' })
  isOthers: boolean;

  @Field(() => Int, { nullable: true })
  userId: number | null;

  @Field(() => Int, { nullable: true, description: '0: no token, but the playground.' })
  tokenId: number | null;

  @Access('admin')
  @Field(() => Int, { nullable: true })
  channelId: number | null;

  @Field(() => String, { nullable: true })
  modelName: string | null;

  @Field(() => String, { nullable: true })
  group: string | null;

  @Access('admin')
  @Field(() => Int, { nullable: true, description: 'Id of the channel’s provider, as `Channel.type` has it.' })
  providerId: number | null;

  @Access('admin')
  @Field(() => String, { nullable: true })
  channelTag: string | null;

  @Access('admin')
  @Field(() => Date, { nullable: true, description: 'Monday of the week in which the users signed up.' })
  cohortWeek: Date | null;
}

const toDate = (seconds: number | null | undefined): Date | null =>
  seconds === null || seconds === undefined ? null : new Date(seconds * 1000);

const toKey = ({ cohortWeek, ...key }: UsageKey): UsageKeyObject =>
  Object.assign(new UsageKeyObject(), {
    ...{
      userId: null,
      tokenId: null,
      channelId: null,
      modelName: null,
      group: null,
      providerId: null,
      channelTag: null,
    },
    ...key,
    cohortWeek: toDate(cohortWeek),
  });

@ObjectType('UsageRow', { description: 'One group, in one bucket of time.' })
export class UsageRowObject {
  @Field(() => Date, { nullable: true, description: 'Start of the bucket; null without `bucket`.' })
  time: Date | null;

  @Field(() => Date, { nullable: true, description: 'First moment after the bucket.' })
  until: Date | null;

  // Part of the row, and read with it.
  @Cost(0)
  @Field(() => UsageKeyObject)
  key: UsageKeyObject;

  @Cost(0)
  @Field(() => UsageMetricsObject)
  metrics: UsageMetricsObject;

  @Cost(0)
  @Field(() => UsageMetricsObject, { nullable: true, description: 'Of the compared range; null without `compareTo`.' })
  compared: UsageMetricsObject | null;

  @Cost(0)
  @Field(() => UsageChangeObject, { nullable: true })
  change: UsageChangeObject | null;
}

const toMetrics = (metrics: UsageMetrics | null): UsageMetricsObject | null =>
  metrics && new UsageMetricsObject(metrics);

const toRow = (row: UsageRow): UsageRowObject => ({
  time: toDate(row.time),
  until: toDate(row.until),
  key: toKey(row.key),
  metrics: new UsageMetricsObject(row.metrics),
  compared: toMetrics(row.compared),
  change: changeOf(row),
});

@ObjectType('ResolvedRange', { description: 'What was really added up.' })
export class ResolvedRangeObject {
  @Field(() => Date)
  from: Date;

  @Field(() => Date, { description: 'Excluded.' })
  until: Date;

  @Field(() => GraphQLTimeZone)
  timeZone: string;

  @Field(() => Date, { description: 'All numbers of the response are of this moment.' })
  asOf: Date;
}

@ObjectType('UsagePage', { implements: PageInterface })
export class UsagePageObject implements PageInterface {
  @Field(() => [UsageRowObject])
  items: UsageRowObject[];

  totalCount: number;
  totalCapped: boolean;
  pageInfo: PageInfoObject;

  @Field(() => ResolvedRangeObject)
  range: ResolvedRangeObject;

  @Field(() => ResolvedRangeObject, { nullable: true })
  comparedRange: ResolvedRangeObject | null;

  @Cost(20)
  @Field(() => UsageMetricsObject, { description: 'Of the whole range and filter, not only of these rows.' })
  total: UsageMetricsObject;

  @Cost(20)
  @Field(() => UsageMetricsObject, { nullable: true, description: 'The same of the compared range.' })
  comparedTotal: UsageMetricsObject | null;

  @Field(() => UsageMetricsObject, { nullable: true, description: 'What `top` left out, over the whole range.' })
  others: UsageMetricsObject | null;
}

export function toPage(page: UsagePage): UsagePageObject {
  const { timeZone, asOf } = page;
  const resolved = (range: { from: number; end: number }): ResolvedRangeObject => ({
    ...{ from: new Date(range.from * 1000), until: new Date(range.end * 1000), timeZone, asOf: new Date(asOf * 1000) },
  });
  return {
    items: page.items.map(toRow),
    totalCount: page.totalCount,
    totalCapped: false,
    pageInfo: { endCursor: page.endCursor, hasNextPage: page.hasNextPage },
    range: resolved(page.range),
    comparedRange: page.comparedRange && resolved(page.comparedRange),
    // Read when selected.
    total: toMetrics(page.total) as UsageMetricsObject,
    comparedTotal: toMetrics(page.comparedTotal),
    others: toMetrics(page.others),
  };
}
