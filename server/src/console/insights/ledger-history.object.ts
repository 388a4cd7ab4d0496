import { ArgsType, Field, Float, Int, ObjectType } from 'type-graphql';
import { enumType, namesOf } from '../../platform/graphql/enums.js';
import { type PageInfoObject, PageInterface, pageSizeText } from '../../platform/graphql/pagination.js';
import { bucketZone, TimeRangeObject } from '../../platform/graphql/ranges.js';
import { GraphQLQuota, GraphQLTimeZone } from '../../platform/graphql/scalars.js';
import { BucketEnum } from '../usage/usage-question.object.js';
import type { TimeBucket } from '../usage/index.js';
import {
  creditSources,
  type Credit,
  type CreditSource,
  type LiabilityPoint,
  type LowBalance,
} from './ledger-history.service.js';

const CreditSourceEnum = enumType('CreditSource', namesOf(creditSources), 'Where quota of a balance came from.', {
  PAYMENT: 'An order that was paid.',
  CODE: 'A redemption code.',
  GIFT_CODE: 'A gift code, which several users may redeem.',
  CHECK_IN: 'The daily reward.',
  INVITE: 'The bonus for using an invite code, and earnings that were transferred to the balance.',
  GRANT: 'An admin added quota, or deducted it.',
  NEW_USER: 'The quota of new users.',
  REFUND: 'A task failed after it was charged.',
  IMPORT: 'The balance with which an imported user began, and what was used before.',
});

@ObjectType('Credit', { description: 'Quota that entered balances in one bucket of time from one source.' })
export class CreditObject implements Credit {
  @Field(() => Date, { description: 'Start of the bucket.' })
  time: Date;

  @Field(() => CreditSourceEnum, { description: 'Where the quota came from.' })
  source: CreditSource;

  @Field(() => GraphQLQuota, { description: 'Quota that was added.' })
  credited: number;

  @Field(() => GraphQLQuota, { description: 'Quota that was taken back, as a positive number.' })
  deducted: number;

  @Field(() => Int, { description: 'Movements.' })
  entries: number;

  @Field(() => Int, { description: 'Users whose balance moved.' })
  users: number;
}

@ObjectType('LiabilityPoint', { description: 'Liabilities of the site to its users at one moment, in quota.' })
export class LiabilityPointObject implements LiabilityPoint {
  @Field(() => Date, { description: 'End of the bucket; now in a bucket that is not over.' })
  asOf: Date;

  @Field(() => GraphQLQuota, {
    description: 'Balances of users who are not deleted now, with what calls in flight had reserved.',
  })
  balances: number;

  @Field(() => GraphQLQuota, { description: 'Invite rewards that were not yet transferred to a balance.' })
  inviteEarnings: number;

  @Field(() => GraphQLQuota, {
    description: 'Value of codes that could be redeemed, without those that are disabled now or have no limit of uses.',
  })
  unusedCodes: number;

  @Field(() => GraphQLQuota, { description: 'Total of the three.' })
  liability: number;

  @Field(() => Float, { description: '`liability` in USD, at today’s rate.' })
  liabilityUsd: number;
}

@ObjectType('LowBalance', { description: 'An hour in which the balance of a user fell below an amount.' })
export class LowBalanceObject implements LowBalance {
  @Field(() => Date, { description: 'Start of the UTC hour.' })
  at: Date;

  @Field(() => Int, { description: '`User.id`.' })
  userId: number;

  @Field(() => String, { description: 'Name of the user now.' })
  username: string;

  @Field(() => GraphQLQuota, {
    description: 'The balance at the end of the hour, with what calls in flight had reserved.',
  })
  quota: number;

  @Field(() => GraphQLQuota, { description: 'The balance now.' })
  quotaNow: number;
}

@ObjectType('LowBalancePage', { implements: PageInterface, description: 'A page of balances that fell.' })
export class LowBalancePageObject implements PageInterface {
  @Field(() => [LowBalanceObject], { description: 'The newest first.' })
  items: LowBalanceObject[];

  totalCount: number;
  totalCapped: boolean;
  pageInfo: PageInfoObject;
}

@ArgsType()
export class LedgerHistoryArgs {
  @Field(() => TimeRangeObject, { nullable: true, description: 'When absent: the 30 days until now.' })
  range?: TimeRangeObject | null;

  @Field(() => GraphQLTimeZone, { nullable: true, description: bucketZone })
  timeZone?: string | null;

  @Field(() => BucketEnum, { defaultValue: 'DAY', description: 'HOUR or longer; at most 400 buckets.' })
  bucket: TimeBucket;
}

@ArgsType()
export class LowBalanceArgs {
  @Field(() => GraphQLQuota, { description: 'The amount that balances fell below.' })
  below: number;

  @Field(() => TimeRangeObject, {
    nullable: true,
    description: 'When the balance fell; not before 31 days ago. When absent: the 30 days until now.',
  })
  range?: TimeRangeObject | null;

  @Field(() => GraphQLTimeZone, {
    nullable: true,
    description: 'Time zone of a calendar period in `range` that names none.',
  })
  timeZone?: string | null;

  @Field(() => Int, { nullable: true, description: 'Starts at 0.' })
  page?: number | null;

  @Field(() => Int, { nullable: true, description: pageSizeText })
  pageSize?: number | null;
}
