import { Arg, Ctx, Field, Float, Int, ObjectType } from 'type-graphql';
import { Access, Cost } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import { type PageInfoObject, PageInterface } from '../../graphql/pagination.js';
import { GraphQLQuota, GraphQLSafeInt, GraphQLTimeZone } from '../../graphql/scalars.js';
import { requirePermission } from '../../shared/actor.js';
import { InvalidInputError } from '../../shared/errors.js';
import type { UsagePage } from './usage-page.js';
import { changeOf, type UsageKey, type UsageMetrics, type UsageRow } from './usage-row.js';

@ObjectType('UsageCost', { description: 'What calls cost the operator, where that is known.' })
export class UsageCostObject {
  @Field(() => Float, { description: 'As providers report it, else by the cost of the channel.' })
  upstreamUsd: number;

  @Field(() => Float, { description: 'Charged to users for the same calls.' })
  usd: number;

  @Field(() => Float, { description: '`usd` less `upstreamUsd`.' })
  marginUsd: number;

  @Field(() => GraphQLSafeInt, { description: 'Calls whose cost is known.' })
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

  @Access('usage.read')
  @Field(() => UsageCostObject, { nullable: true })
  cost(@Ctx() { actor }: GraphQLContext): UsageCostObject {
    requirePermission(actor, 'usage.read');
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

  @Access('usage.read')
  @Field(() => Int, { nullable: true })
  channelId: number | null;

  @Field(() => String, { nullable: true })
  modelName: string | null;

  @Field(() => String, { nullable: true })
  group: string | null;

  @Access('usage.read')
  @Field(() => Int, { nullable: true, description: 'Number of the channel’s provider: `ChannelType.id`.' })
  providerId: number | null;

  @Access('usage.read')
  @Field(() => String, { nullable: true })
  channelTag: string | null;

  @Access('usage.read')
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
    // Counted when selected.
    totalCount: page.totalCount as number,
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
