import { ArgsType, Field, ObjectType } from 'type-graphql';
import { argFields, fields, float, int, moment, nullable, of, quota, text } from '../../platform/graphql/fields.js';
import { enumType, namesOf } from '../../platform/graphql/enums.js';
import { type PageInfoObject, PageInterface, pageSizeText } from '../../platform/graphql/pagination.js';
import { bucketZone, TimeRangeObject } from '../../platform/graphql/ranges.js';
import { GraphQLTimeZone } from '../../platform/graphql/scalars.js';
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
  PLAN: 'Plans that were bought, as deductions, and their refunds.',
  IMPORT: 'The balance with which an imported user began, and what was used before.',
});

@ObjectType('Credit', { description: 'Quota that entered balances in one bucket of time from one source.' })
export class CreditObject
  extends fields({
    time: moment('Start of the bucket.'),
    source: of<CreditSource>(() => CreditSourceEnum, 'Where the quota came from.'),
    credited: quota('Quota that was added.'),
    deducted: quota('Quota that was taken back, as a positive number.'),
    entries: int('Movements.'),
    users: int('Users whose balance moved.'),
  })
  implements Credit {}

@ObjectType('LiabilityPoint', { description: 'Liabilities of the site to its users at one moment, in quota.' })
export class LiabilityPointObject
  extends fields({
    asOf: moment('End of the bucket; now in a bucket that is not over.'),
    balances: quota('Balances of users who are not deleted now, with what calls in flight had reserved.'),
    inviteEarnings: quota('Invite rewards that were not yet transferred to a balance.'),
    unusedCodes: quota(
      'Value of codes that could be redeemed, without those that are disabled now or have no limit of uses.',
    ),
    liability: quota('Total of the three.'),
    liabilityUsd: float('`liability` in USD, at today’s rate.'),
  })
  implements LiabilityPoint {}

@ObjectType('LowBalance', { description: 'An hour in which the balance of a user fell below an amount.' })
export class LowBalanceObject
  extends fields({
    at: moment('Start of the UTC hour.'),
    userId: int('`User.id`.'),
    username: text('Name of the user now.'),
    quota: quota('The balance at the end of the hour, with what calls in flight had reserved.'),
    quotaNow: quota('The balance now.'),
  })
  implements LowBalance {}

@ObjectType('LowBalancePage', { implements: PageInterface, description: 'A page of balances that fell.' })
export class LowBalancePageObject implements PageInterface {
  @Field(() => [LowBalanceObject], { description: 'The newest first.' })
  items: LowBalanceObject[];

  totalCount: number;
  totalCapped: boolean;
  pageInfo: PageInfoObject;
}

@ArgsType()
export class LedgerHistoryArgs extends argFields({
  range: nullable<TimeRangeObject>(() => TimeRangeObject, 'When absent: the 30 days until now.'),
  timeZone: nullable<string>(() => GraphQLTimeZone, bucketZone),
}) {
  @Field(() => BucketEnum, { defaultValue: 'DAY', description: 'HOUR or longer; at most 400 buckets.' })
  bucket: TimeBucket;
}

@ArgsType()
export class LowBalanceArgs extends argFields({
  below: quota('The amount that balances fell below.'),
  range: nullable<TimeRangeObject>(
    () => TimeRangeObject,
    'When the balance fell; not before 31 days ago. When absent: the 30 days until now.',
  ),
  timeZone: nullable<string>(() => GraphQLTimeZone, 'Time zone of a calendar period in `range` that names none.'),
  page: int.orNull('Starts at 0.'),
  pageSize: int.orNull(pageSizeText),
}) {}
