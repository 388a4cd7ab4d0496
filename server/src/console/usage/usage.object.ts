import { Arg, Field, Float, Int, ObjectType } from 'type-graphql';
import { fields, flag, float, int, moment, nullable, of, quota, safeInt, text } from '../../platform/graphql/fields.js';
import { Access, Cost, Synchronous } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { type PageInfoObject, PageInterface } from '../../platform/graphql/pagination.js';
import { GraphQLSafeInt, GraphQLTimeZone } from '../../platform/graphql/scalars.js';
import { providerOf } from '../../dialects/makers/providers.js';
import { requirePermission } from '../../shared/actor.js';
import { InvalidInputError } from '../../shared/errors.js';
import { pick } from '../../shared/snake-case.js';
import type { UsagePage } from './usage-page.js';
import { fromLog } from './usage-question.object.js';
import { changeOf, type UsageKey, type UsageMetrics, type UsageRow } from './usage-row.js';
import { dateOf } from '../../shared/clock.js';

@ObjectType('UsageCost', { description: 'What calls cost the operator, where that is known.' })
export class UsageCostObject extends fields({
  upstreamUsd: float('As providers report it, else by the cost of the channel.'),
  usd: float('Charged to balances for the same calls.'),
  planUsd: float('The price of those that plans paid. It is no part of `usd`, because users paid for the plans.'),
  marginUsd: float('`usd` less `upstreamUsd`.'),
  knownCalls: safeInt('Calls whose cost is known.'),
  coverage: float(
    '`knownCalls` among the answered calls, 0 to 1; 0 without any. Below 1, the costs are those of a part.',
  ),
}) {}

@ObjectType('UsageCache', { description: 'Prompt caches of providers, from the log rows of calls.' })
export class UsageCacheObject extends fields({
  writeTokens: safeInt('Prompt tokens that providers wrote to their caches.'),
  savedUsd: float(
    'What users would have paid beyond their charges without reads from caches: cached tokens at the price of prompt tokens, less their own price. Writes may cost more than prompt tokens, which is not deducted. Calls charged by the request save nothing.',
  ),
}) {}

const quantile = { defaultValue: 0.95, description: 'Above 0, at most 1.' };
type Quantile = { readonly quantile: number };

const plainMetrics = {
  calls: safeInt('Calls that were answered.'),
  streamCalls: safeInt('Answered calls that were streamed; part of `calls`.'),
  failedCalls: safeInt('Calls that no channel could serve; not part of `calls`.'),
  errorRate: float.orNull('Failed calls among all, 0 to 1; null without calls.'),
  promptTokens: safeInt('Model tokens of prompts, cached ones included.'),
  completionTokens: safeInt('Model tokens of answers, reasoning included.'),
  totalTokens: safeInt('Prompt and completion tokens.'),
  cachedTokens: safeInt('Prompt tokens that the provider read from its cache.'),
  cachedShare: float.orNull('Cached tokens among the prompt tokens, 0 to 1; null without prompt tokens.'),
  quota: quota('Quota that was charged.'),
  usd: float('`quota` in USD, at today’s rate.'),
  averageMs: int.orNull('Mean duration of answered calls, in milliseconds; null without any.'),
};
const plainNames = Object.keys(plainMetrics) as Array<keyof typeof plainMetrics>;

@ObjectType('UsageMetrics', { description: 'Sums over calls. A failed call is not charged and has no duration.' })
export class UsageMetricsObject extends fields(plainMetrics) {
  /** @param minutes the length of a bucket; null where the figures are of no bucket */
  constructor(
    private readonly metrics: UsageMetrics,
    minutes: number | null = null,
  ) {
    super();
    Object.assign(this, pick(metrics, ['activeUsers', ...plainNames]));
    this.callsPerMinute = minutes && metrics.calls / minutes;
    this.tokensPerMinute = minutes && metrics.totalTokens / minutes;
  }

  @Field(() => Float, {
    nullable: true,
    description:
      'Answered calls per minute, a mean of the bucket. The first and the last bucket count for their part in the range that has passed; those of `compared` are whole. Null without `bucket`.',
  })
  callsPerMinute: number | null;

  @Field(() => Float, { nullable: true, description: 'The same of prompt and completion tokens.' })
  tokensPerMinute: number | null;

  @Cost(1)
  @Field(() => GraphQLSafeInt, {
    description: 'Users with an answered call. They do not add up: a user may be in several groups and buckets.',
  })
  activeUsers: number;

  @Cost(1)
  @Synchronous()
  @Field(() => Int, {
    nullable: true,
    description:
      'Duration in milliseconds that this share of the answered calls stayed under; null without any. Interpolated within the bounds at which durations are counted (50 ms, 100 ms and so on): a few milliseconds are shown as up to 50.',
  })
  latencyMs(@Arg('quantile', () => Float, quantile) { quantile: share }: Quantile): number | null {
    return this.metrics.latencyMs(checkedShare(share));
  }

  @Cost(1)
  @Synchronous()
  @Field(() => Int, {
    nullable: true,
    description:
      'Milliseconds until the first data of streamed answers, for this share of them; null without any. Interpolated like `latencyMs`.',
  })
  firstTokenMs(@Arg('quantile', () => Float, quantile) { quantile: share }: Quantile): number | null {
    return this.metrics.firstTokenMs(checkedShare(share));
  }

  @Access('usage.read')
  @Synchronous()
  @Field(() => UsageCostObject, { nullable: true, description: 'Null where the caller may not read costs.' })
  cost(_args: object, { actor }: GraphQLContext): UsageCostObject {
    requirePermission(actor, 'usage.read');
    return this.metrics.cost;
  }

  @Access('usage.read')
  @Cost(0, undefined, { once: 500 })
  @Synchronous()
  @Field(() => UsageCacheObject, {
    nullable: true,
    description: `What prompt caches took and saved. ${fromLog} Null where the caller may not read it.`,
  })
  cache(_args: object, { actor }: GraphQLContext): UsageCacheObject {
    requirePermission(actor, 'usage.read');
    return this.metrics.cache;
  }
}

function checkedShare(share: number): number {
  if (!(share > 0 && share <= 1)) throw new InvalidInputError('A quantile must be above 0 and at most 1', 'quantile');
  return share;
}

@ObjectType('UsageChange', { description: 'Change against the compared range, as a share of it; null from zero.' })
export class UsageChangeObject extends fields({
  quota: float.orNull('0.5: half more than in the compared range; -1: nothing any more.'),
  calls: float.orNull('The same of answered calls.'),
  totalTokens: float.orNull('The same of prompt and completion tokens.'),
}) {}

@ObjectType('UsageKey', { description: 'The group of a row. Fields of dimensions that are not grouped by are null.' })
export class UsageKeyObject extends fields({
  isOthers: flag('The row is everything that `top` left out.'),
  userId: int.orNull('Null unless grouped by USER.'),
  tokenId: int.orNull('0: no token, but the playground. Null unless grouped by TOKEN.'),
  memberId: int.orNull('0: keys of no member. Null unless grouped by MEMBER.'),
  projectId: int.orNull('0: keys of no project. Null unless grouped by PROJECT.'),
  modelName: text.orNull('As clients request it. Null unless grouped by MODEL.'),
  group: text.orNull('The group that the calls were charged by. Null unless grouped by GROUP.'),
  channelId: int.orNull(
    '0: failed calls that reached no channel. Null unless grouped by CHANNEL.',
    Access('usage.read'),
  ),
  endpoint: text.orNull('Such as `/v1/chat/completions`. Null unless grouped by ENDPOINT.', Access('usage.read')),
  errorCode: text.orNull(
    'Such as `insufficient_user_quota`. Null: none, or not grouped by ERROR.',
    Access('usage.read'),
  ),
  upstreamKeyName: text.orNull(
    'Last characters of the key of the channel, or `#` and its position for a key that is short or a document. Null: the channel had one key only, or not grouped by UPSTREAM_KEY.',
    Access('usage.read'),
  ),
  providerId: int.orNull(
    'Number of the channel’s provider: `ChannelType.id`. Null: the channel was deleted, or not grouped by PROVIDER.',
    Access('usage.read'),
  ),
  channelTag: text.orNull('Null: none, or not grouped by CHANNEL_TAG.', Access('usage.read')),
  cohortWeek: moment.orNull(
    'Start of the Monday of the week in which the users signed up. Null: the user was removed, or not grouped by USER_COHORT_WEEK.',
    Access('usage.read'),
  ),
  username: text.orNull('Name of the user now; null when they were removed.'),
  tokenName: text.orNull('Name of the key now; null for the playground, and when the key is gone.'),
  memberName: text.orNull('User name of the member now, also of a former one; null for keys of no member.'),
  projectName: text.orNull('Name of the project now; null for keys of no project.'),
  channelName: text.orNull('Name of the channel now; null when it was deleted.', Access('usage.read', 'USAGE_READ')),
  providerName: text.orNull(
    'Such as `OpenAI` or `Anthropic Claude`. Null: the channel was deleted, or not grouped by PROVIDER.',
    Access('usage.read', 'USAGE_READ'),
  ),
}) {}

const toDate = (seconds: number | null | undefined): Date | null =>
  seconds === null || seconds === undefined ? null : dateOf(seconds);

const toKey = ({ cohortWeek, ...key }: UsageKey): UsageKeyObject =>
  Object.assign(new UsageKeyObject(), {
    userId: null,
    tokenId: null,
    channelId: null,
    modelName: null,
    group: null,
    providerId: null,
    channelTag: null,
    endpoint: null,
    errorCode: null,
    upstreamKeyName: null,
    username: null,
    tokenName: null,
    memberName: null,
    projectName: null,
    channelName: null,
    ...key,
    cohortWeek: toDate(cohortWeek),
    providerName: typeof key.providerId === 'number' ? providerOf(key.providerId).label || null : null,
  });

@ObjectType('UsageRow', { description: 'One group, in one bucket of time.' })
export class UsageRowObject extends fields({
  time: moment.orNull('Start of the bucket; null without `bucket`.'),
  until: moment.orNull(
    'First moment after the bucket; null without `bucket`. The first and last bucket may begin before `range.from` and end after `range.until`.',
  ),
  // The field is part of the row, and read with it.
  key: of<UsageKeyObject>(() => UsageKeyObject, 'What the row is of: its user, model, channel and so on.', Cost(0)),
  metrics: of<UsageMetricsObject>(() => UsageMetricsObject, 'The figures of the row.', Cost(0)),
  compared: nullable<UsageMetricsObject>(
    () => UsageMetricsObject,
    'Of the compared range: with `bucket`, of its bucket with the same number, counted from the start of each range. Zeros where that has no usage or does not exist. Null without `compareTo`.',
    Cost(0),
  ),
  change: nullable<UsageChangeObject>(
    () => UsageChangeObject,
    'From `compared` to `metrics`; null without `compareTo`.',
    Cost(0),
  ),
}) {}

const toMetrics = (metrics: UsageMetrics | null): UsageMetricsObject | null =>
  metrics && new UsageMetricsObject(metrics);

/** @param passed the part of the range that has passed, Unix seconds */
function toRow(row: UsageRow, passed: { readonly from: number; readonly end: number }): UsageRowObject {
  const { time, until, compared } = row;
  const isBucket = time !== null && until !== null;
  // A second keeps a bucket that has just begun from a rate without bounds.
  const seconds = isBucket ? Math.max(1, Math.min(until, passed.end) - Math.max(time, passed.from)) : null;
  return {
    time: toDate(time),
    until: toDate(until),
    key: toKey(row.key),
    metrics: new UsageMetricsObject(row.metrics, seconds && seconds / 60),
    compared: compared && new UsageMetricsObject(compared, isBucket ? (until - time) / 60 : null),
    change: changeOf(row),
  };
}

@ObjectType('ResolvedRange', { description: 'What was really added up.' })
export class ResolvedRangeObject extends fields({
  from: moment('Included.'),
  until: moment('Excluded.'),
  timeZone: of<string>(() => GraphQLTimeZone, 'The zone of calendar periods and buckets.'),
  isApproximate: flag(
    'Days of the zone begin within a UTC hour, as those of Asia/Kolkata do. They were moved to its end, so up to an hour of each counts to the day before.',
  ),
  asOf: moment('All numbers of the response are of this moment.'),
}) {}

@ObjectType('UsageProjection', { description: 'What an open period comes to at the mean rate so far.' })
export class UsageProjectionObject extends fields({
  until: moment('End of the period, moved to a whole UTC hour.'),
  passed: float('The share of the period that has passed, 0 to 1.'),
  quota: quota('Quota that will be charged.'),
  usd: float('`quota` in USD, at today’s rate.'),
  calls: safeInt('Calls that will be answered.'),
  totalTokens: safeInt('Prompt and completion tokens.'),
}) {}

@ObjectType('UsagePage', { implements: PageInterface, description: 'A page of usage, with totals.' })
export class UsagePageObject
  extends fields({
    items: of<UsageRowObject[]>(() => [UsageRowObject], 'The rows of this page, in the order that was asked for.'),
    range: of<ResolvedRangeObject>(() => ResolvedRangeObject, 'What was added up, after rounding to whole hours.'),
    comparedRange: nullable<ResolvedRangeObject>(
      () => ResolvedRangeObject,
      'The range of `compared` and `comparedTotal`; null without `compareTo`.',
    ),
    others: nullable<UsageMetricsObject>(
      () => UsageMetricsObject,
      'Everything that `top` left out, over the whole range; null without `top`.',
    ),
    total: of<UsageMetricsObject>(
      () => UsageMetricsObject,
      'Of the whole range and filter, not only of these rows.',
      Cost(20),
    ),
    comparedTotal: nullable<UsageMetricsObject>(
      () => UsageMetricsObject,
      'The same of the whole compared range, also of its buckets that have no counterpart in `range`.',
      Cost(20),
    ),
    projectedTotal: nullable<UsageProjectionObject>(
      () => UsageProjectionObject,
      '`total` at the end of the calendar period of `range`; null when it is over, before its first counted hour, and without `calendar`.',
      Cost(20),
    ),
  })
  implements PageInterface
{
  totalCount: number;
  totalCapped: boolean;
  pageInfo: PageInfoObject;
}

function toProjection({ open, total }: UsagePage): UsageProjectionObject | null {
  if (!open || !total) return null;
  const whole = (value: number): number => Math.round(value / open.passed);
  return {
    until: dateOf(open.end),
    passed: open.passed,
    quota: whole(total.quota),
    usd: total.usd / open.passed,
    calls: whole(total.calls),
    totalTokens: whole(total.totalTokens),
  };
}

export function toPage(page: UsagePage): UsagePageObject {
  const { timeZone, isApproximate, asOf } = page;
  const resolved = (range: { from: number; end: number }): ResolvedRangeObject => ({
    from: dateOf(range.from),
    until: dateOf(range.end),
    timeZone,
    isApproximate,
    asOf: dateOf(asOf),
  });
  const passed = { from: page.range.from, end: Math.min(page.range.end, asOf) };
  return {
    items: page.items.map((row) => toRow(row, passed)),
    // The number is counted when it is selected.
    totalCount: page.totalCount as number,
    totalCapped: false,
    pageInfo: { endCursor: page.endCursor, hasNextPage: page.hasNextPage },
    range: resolved(page.range),
    comparedRange: page.comparedRange && resolved(page.comparedRange),
    // The totals are read when they are selected.
    total: toMetrics(page.total) as UsageMetricsObject,
    comparedTotal: toMetrics(page.comparedTotal),
    projectedTotal: toProjection(page),
    others: toMetrics(page.others),
  };
}
