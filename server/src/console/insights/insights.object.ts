import { ArgsType, Field, InputType, ObjectType } from 'type-graphql';
import {
  argFields,
  fields,
  float,
  inputFields,
  int,
  ints,
  moment,
  nullable,
  of,
  quota,
  text,
  texts,
} from '../../platform/graphql/fields.js';
import type { Nullable } from '../../platform/graphql/nullable.js';
import { filterText, type PageInfoObject, PageInterface, pageSizeText } from '../../platform/graphql/pagination.js';
import { bucketZone, TimeRangeObject } from '../../platform/graphql/ranges.js';
import { GraphQLTimeZone } from '../../platform/graphql/scalars.js';
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
export class LedgerTotalsObject
  extends fields({
    balances: quota('Balances of users who are not deleted.'),
    inviteEarnings: quota('Invite rewards not yet transferred to a balance.'),
    unusedCodes: quota('Value of codes that can still be redeemed; each remaining use counts.'),
    unlimitedCodes: int('Number of gift codes without a limit of uses. They are not part of `unusedCodes`.'),
    reserved: quota('Reserved for calls in flight, and not part of `balances`.'),
    liability: quota('Total of balances, invite earnings, unused codes and reservations.'),
    liabilityUsd: float('`liability` in USD, at today’s rate.'),
    asOf: moment('All figures are of this moment.'),
  })
  implements LedgerTotals {}

@ObjectType('LiveCall', { description: 'A call in flight.' })
export class LiveCallObject
  extends fields({
    requestId: text('The id that the call has in the log when it ends.'),
    userId: int('The user who pays.'),
    tokenId: int.orNull('Null: the playground.'),
    modelName: text('As the client requested it.'),
    heldQuota: quota(
      'Quota reserved for the call: the most that it is expected to cost. What is not needed returns at its end.',
    ),
    since: moment('When the call started.'),
    seconds: int('Seconds since the call started.'),
  })
  implements LiveCall {}

@ObjectType('LiveCallSums', { description: 'Totals of all calls that match the filter.' })
export class LiveCallSumsObject extends fields({
  count: int('Calls in flight.'),
  heldQuota: quota('Quota reserved for these calls.'),
}) {}

@ObjectType('LiveCallPage', { implements: PageInterface, description: 'A page of calls in flight.' })
export class LiveCallPageObject
  extends fields({
    items: of<LiveCallObject[]>(() => [LiveCallObject], 'The calls of this page, the longest running first.'),
    sums: of<LiveCallSumsObject>(() => LiveCallSumsObject, 'Totals of all calls that match, not only of this page.'),
  })
  implements PageInterface
{
  totalCount: number;
  totalCapped: boolean;
  pageInfo: PageInfoObject;
}

@InputType('LiveCallFilter', { description: 'All fields must match. A list matches any of its values.' })
export class LiveCallFilterInput
  extends inputFields({
    userIds: ints.orNull('Only calls of these users.'),
    tokenIds: ints.orNull('Only calls with these API keys.'),
    models: texts.orNull('Whole names.'),
    atLeastSeconds: int.orNull('Only calls that have run for at least this many seconds.'),
  })
  implements Nullable<LiveCallFilter> {}

@ArgsType()
export class LiveCallArgs extends argFields({
  filter: nullable<LiveCallFilterInput>(() => LiveCallFilterInput, filterText),
  pageSize: int.orNull(pageSizeText),
  after: text.orNull('`pageInfo.endCursor` of the previous page.'),
}) {}

@ObjectType('RedemptionBatch', { description: 'Codes created under one name.' })
export class RedemptionBatchObject
  extends fields({
    name: text('The name that the codes were created under. It may have been used several times.'),
    total: int('Codes in the batch.'),
    used: int('Codes that were used at least once.'),
    disabled: int('Codes whose status is DISABLED.'),
    quotaUsed: quota('Credited to users so far.'),
    quotaOpen: quota('Can still be redeemed. A gift code without a limit of uses counts once.'),
    firstAt: moment('Creation time of the first of them.'),
    lastUsedAt: moment.orNull('Null: none was used.'),
  })
  implements RedemptionBatch {}

@ObjectType('RedemptionBatchPage', { implements: PageInterface, description: 'A page of batches of codes.' })
export class RedemptionBatchPageObject implements PageInterface {
  @Field(() => [RedemptionBatchObject], { description: 'The batches of this page, the newest first.' })
  items: RedemptionBatchObject[];

  totalCount: number;
  totalCapped: boolean;
  pageInfo: PageInfoObject;
}

@ArgsType()
export class RedemptionBatchArgs extends argFields({
  names: texts.orNull('Whole names.'),
  page: int.orNull('Starts at 0.'),
  pageSize: int.orNull(pageSizeText),
}) {}

@ObjectType('GrowthPoint', { description: 'Users who signed up in one bucket of time.' })
export class GrowthPointObject
  extends fields({
    time: moment('Start of the bucket.'),
    users: int('Accounts created in the bucket, deactivated ones included.'),
    firstWeekQuota: quota('Quota they spent in the seven days after they signed up, to the hour.'),
  })
  implements GrowthPoint {}

@ObjectType('ChannelRetries', { description: 'How often calls moved from one channel to the next.' })
export class ChannelRetriesObject
  extends fields({
    channelId: int('The channel, which may be deleted.'),
    channelName: text.orNull('Null: the channel was deleted.'),
    passedOn: int(
      'Calls that this channel could not serve and another channel took over. Several tries of one call count once.',
    ),
    takenOver: int('Calls that this channel served after another one had failed.'),
    failedLast: int('Calls that failed at this channel, after at least one other channel.'),
  })
  implements ChannelRetries {}

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
export class GrowthArgs extends argFields({
  range: nullable<TimeRangeObject>(() => TimeRangeObject, 'To the second. When absent: the 30 days until now.'),
  timeZone: nullable<string>(() => GraphQLTimeZone, bucketZone),
}) {
  @Field(() => BucketEnum, { defaultValue: 'DAY', description: 'HOUR or longer.' })
  bucket: TimeBucket;
}

export const toPage = <Item>(slice: Slice<Item>) => ({
  items: [...slice.items],
  totalCount: slice.totalCount,
  totalCapped: false,
  pageInfo: { endCursor: slice.endCursor, hasNextPage: slice.hasNextPage },
});
