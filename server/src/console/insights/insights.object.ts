import { ArgsType, Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import type { Nullable } from '../../platform/graphql/nullable.js';
import { filterText, type PageInfoObject, PageInterface, pageSizeText } from '../../platform/graphql/pagination.js';
import { bucketZone, TimeRangeObject } from '../../platform/graphql/ranges.js';
import { GraphQLQuota, GraphQLTimeZone } from '../../platform/graphql/scalars.js';
import { BucketEnum } from '../usage/usage-question.object.js';
import type { TimeBucket } from '../usage/index.js';
import type {
  LedgerTotals,
  ChannelRetries,
  GrowthPoint,
  LiveCall,
  LiveCallFilter,
  RedemptionBatch,
  Slice,
} from './insights.service.js';

@ObjectType('LedgerTotals', { description: 'Liabilities of the site to its users, in quota.' })
export class LedgerTotalsObject implements LedgerTotals {
  @Field(() => GraphQLQuota, { description: 'Balances of users who are not deleted.' })
  balances: number;

  @Field(() => GraphQLQuota, { description: 'Invite rewards not yet transferred to a balance.' })
  inviteEarnings: number;

  @Field(() => GraphQLQuota, { description: 'Value of codes that can still be redeemed; each remaining use counts.' })
  unusedCodes: number;

  @Field(() => Int, {
    description: 'Number of gift codes without a limit of uses. They are not part of `unusedCodes`.',
  })
  unlimitedCodes: number;

  @Field(() => GraphQLQuota, { description: 'Reserved for calls in flight, and not part of `balances`.' })
  reserved: number;

  @Field(() => GraphQLQuota, { description: 'Total of balances, invite earnings, unused codes and reservations.' })
  liability: number;

  @Field(() => Float, { description: '`liability` in USD, at today’s rate.' })
  liabilityUsd: number;

  @Field(() => Date, { description: 'All figures are of this moment.' })
  asOf: Date;
}

@ObjectType('LiveCall', { description: 'A call in flight.' })
export class LiveCallObject implements LiveCall {
  @Field(() => String, { description: 'The id that the call has in the log when it ends.' })
  requestId: string;

  @Field(() => Int, { description: 'The user who pays.' })
  userId: number;

  @Field(() => Int, { nullable: true, description: 'Null: the playground.' })
  tokenId: number | null;

  @Field(() => String, { description: 'As the client requested it.' })
  modelName: string;

  @Field(() => GraphQLQuota, {
    description:
      'Quota reserved for the call: the most that it is expected to cost. What is not needed returns at its end.',
  })
  heldQuota: number;

  @Field(() => Date, { description: 'When the call started.' })
  since: Date;

  @Field(() => Int, { description: 'Seconds since the call started.' })
  seconds: number;
}

@ObjectType('LiveCallSums', { description: 'Totals of all calls that match the filter.' })
export class LiveCallSumsObject {
  @Field(() => Int, { description: 'Calls in flight.' })
  count: number;

  @Field(() => GraphQLQuota, { description: 'Quota reserved for these calls.' })
  heldQuota: number;
}

@ObjectType('LiveCallPage', { implements: PageInterface, description: 'A page of calls in flight.' })
export class LiveCallPageObject implements PageInterface {
  @Field(() => [LiveCallObject], { description: 'The calls of this page, the longest running first.' })
  items: LiveCallObject[];

  totalCount: number;
  totalCapped: boolean;
  pageInfo: PageInfoObject;

  @Field(() => LiveCallSumsObject, { description: 'Totals of all calls that match, not only of this page.' })
  sums: LiveCallSumsObject;
}

@InputType('LiveCallFilter', { description: 'All fields must match. A list matches any of its values.' })
export class LiveCallFilterInput implements Nullable<LiveCallFilter> {
  @Field(() => [Int], { nullable: true, description: 'Only calls of these users.' })
  userIds?: number[] | null;

  @Field(() => [Int], { nullable: true, description: 'Only calls with these API keys.' })
  tokenIds?: number[] | null;

  @Field(() => [String], { nullable: true, description: 'Whole names.' })
  models?: string[] | null;

  @Field(() => Int, { nullable: true, description: 'Only calls that have run for at least this many seconds.' })
  atLeastSeconds?: number | null;
}

@ArgsType()
export class LiveCallArgs {
  @Field(() => LiveCallFilterInput, { nullable: true, description: filterText })
  filter?: LiveCallFilterInput | null;

  @Field(() => Int, { nullable: true, description: pageSizeText })
  pageSize?: number | null;

  @Field(() => String, { nullable: true, description: '`pageInfo.endCursor` of the previous page.' })
  after?: string | null;
}

@ObjectType('RedemptionBatch', { description: 'Codes created under one name.' })
export class RedemptionBatchObject implements RedemptionBatch {
  @Field(() => String, {
    description: 'The name that the codes were created under. It may have been used several times.',
  })
  name: string;

  @Field(() => Int, { description: 'Codes in the batch.' })
  total: number;

  @Field(() => Int, { description: 'Codes that were used at least once.' })
  used: number;

  @Field(() => Int, { description: 'Codes whose status is DISABLED.' })
  disabled: number;

  @Field(() => GraphQLQuota, { description: 'Credited to users so far.' })
  quotaUsed: number;

  @Field(() => GraphQLQuota, { description: 'Can still be redeemed. A gift code without a limit of uses counts once.' })
  quotaOpen: number;

  @Field(() => Date, { description: 'Creation time of the first of them.' })
  firstAt: Date;

  @Field(() => Date, { nullable: true, description: 'Null: none was used.' })
  lastUsedAt: Date | null;
}

@ObjectType('RedemptionBatchPage', { implements: PageInterface, description: 'A page of batches of codes.' })
export class RedemptionBatchPageObject implements PageInterface {
  @Field(() => [RedemptionBatchObject], { description: 'The batches of this page, the newest first.' })
  items: RedemptionBatchObject[];

  totalCount: number;
  totalCapped: boolean;
  pageInfo: PageInfoObject;
}

@ArgsType()
export class RedemptionBatchArgs {
  @Field(() => [String], { nullable: true, description: 'Whole names.' })
  names?: string[] | null;

  @Field(() => Int, { nullable: true, description: 'Starts at 0.' })
  page?: number | null;

  @Field(() => Int, { nullable: true, description: pageSizeText })
  pageSize?: number | null;
}

@ObjectType('GrowthPoint', { description: 'Users who signed up in one bucket of time.' })
export class GrowthPointObject implements GrowthPoint {
  @Field(() => Date, { description: 'Start of the bucket.' })
  time: Date;

  @Field(() => Int, { description: 'Accounts created in the bucket, deactivated ones included.' })
  users: number;

  @Field(() => GraphQLQuota, { description: 'Quota they spent in the seven days after they signed up, to the hour.' })
  firstWeekQuota: number;
}

@ObjectType('ChannelRetries', { description: 'How often calls moved from one channel to the next.' })
export class ChannelRetriesObject implements ChannelRetries {
  @Field(() => Int, { description: 'The channel, which may be deleted.' })
  channelId: number;

  @Field(() => String, { nullable: true, description: 'Null: the channel was deleted.' })
  channelName: string | null;

  @Field(() => Int, {
    description:
      'Calls that this channel could not serve and another channel took over. Several tries of one call count once.',
  })
  passedOn: number;

  @Field(() => Int, { description: 'Calls that this channel served after another one had failed.' })
  takenOver: number;

  @Field(() => Int, { description: 'Calls that failed at this channel, after at least one other channel.' })
  failedLast: number;
}

@ArgsType()
export class RetryArgs {
  @Field(() => TimeRangeObject, { nullable: true, description: '48 hours at most. When absent: the last 24 hours.' })
  range?: TimeRangeObject | null;

  @Field(() => GraphQLTimeZone, {
    defaultValue: 'UTC',
    description: 'Time zone of a calendar period in `range` that names none.',
  })
  timeZone: string;
}

@ArgsType()
export class GrowthArgs {
  @Field(() => TimeRangeObject, { nullable: true, description: 'To the second. When absent: the 30 days until now.' })
  range?: TimeRangeObject | null;

  @Field(() => GraphQLTimeZone, {
    nullable: true,
    description: bucketZone,
  })
  timeZone?: string | null;

  @Field(() => BucketEnum, { defaultValue: 'DAY', description: 'HOUR or longer.' })
  bucket: TimeBucket;
}

export const toPage = <Item>(slice: Slice<Item>) => ({
  items: [...slice.items],
  totalCount: slice.totalCount,
  totalCapped: false,
  pageInfo: { endCursor: slice.endCursor, hasNextPage: slice.hasNextPage },
});
