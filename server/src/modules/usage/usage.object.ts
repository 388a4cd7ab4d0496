import { GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, Float, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { given, type Nullable } from '../../graphql/nullable.js';
import { pageType, SortInput } from '../../graphql/page.object.js';
import { defined } from '../../shared/defined.js';
import { toPageQuery, type PageQuery } from '../../shared/page.js';
import {
  usageDimensions,
  type UsageDimension,
  type UsageFilter,
  type UsageRow,
  type UsageSummary,
  type UsageTotals,
} from './usage.service.js';

const dimensionEnum = Object.fromEntries(usageDimensions.map((name) => [name, name])) as {
  readonly [Name in UsageDimension]: Name;
};
registerEnumType(dimensionEnum, { name: 'UsageDimension', description: 'DAY is a UTC day.' });

@ObjectType('UsageTotals')
export class UsageTotalsObject implements UsageTotals {
  @Field(() => GraphQLSafeInt, { description: 'Calls that were answered.' })
  calls: number;

  @Field(() => GraphQLSafeInt)
  streamCalls: number;

  @Field(() => GraphQLSafeInt)
  failedCalls: number;

  @Field(() => GraphQLSafeInt)
  promptTokens: number;

  @Field(() => GraphQLSafeInt)
  completionTokens: number;

  @Field(() => GraphQLSafeInt)
  totalTokens: number;

  @Field(() => GraphQLSafeInt, { description: 'Of the prompt tokens.' })
  cachedTokens: number;

  @Field(() => GraphQLSafeInt)
  quota: number;

  @Field(() => Float)
  usd: number;

  @Field(() => Int, { nullable: true })
  averageMilliseconds: number | null;

  @Field(() => Int, { nullable: true, description: 'Interpolated between the bounds that durations are counted by.' })
  p95Milliseconds: number | null;

  @Field(() => Float, { nullable: true, description: 'Failed calls among all, 0 to 1.' })
  errorRate: number | null;
}

@ObjectType('UsageRow', { description: 'A group; fields of dimensions it is not grouped by are null.' })
export class UsageRowObject extends UsageTotalsObject implements Omit<UsageRow, 'time'> {
  @Field(() => Date, { nullable: true, description: 'Start of the hour or day.' })
  time: Date | null;

  @Field(() => Int, { nullable: true })
  userId: number | null;

  @Field(() => String, { nullable: true })
  username: string | null;

  @Field(() => Int, { nullable: true, description: '0: no API key, but the playground.' })
  tokenId: number | null;

  @Field(() => String, { nullable: true })
  tokenName: string | null;

  @Field(() => Int, { nullable: true })
  channelId: number | null;

  @Field(() => String, { nullable: true })
  channelName: string | null;

  @Field(() => String, { nullable: true })
  modelName: string | null;

  @Field(() => String, { nullable: true })
  group: string | null;
}

export const UsagePage = pageType(UsageRowObject, 'UsagePage');

export const toUsageObject = ({ time, ...row }: UsageRow): UsageRowObject => ({
  ...row,
  time: time === null ? null : new Date(time * 1000),
});

@ObjectType('UsageSummary', { description: 'A period beside the one of the same length before it.' })
export class UsageSummaryObject implements Omit<UsageSummary, 'from' | 'to'> {
  @Field(() => Date)
  from: Date;

  @Field(() => Date)
  to: Date;

  @Field(() => UsageTotalsObject)
  current: UsageTotalsObject;

  @Field(() => UsageTotalsObject)
  previous: UsageTotalsObject;
}

export const toSummaryObject = ({ from, to, ...totals }: UsageSummary): UsageSummaryObject => ({
  ...totals,
  from: new Date(from * 1000),
  to: new Date(to * 1000),
});

type Asked = Omit<UsageFilter, 'from' | 'to'> & { readonly from: Date; readonly to: Date };

@InputType('UsageFilter')
export class UsageFilterInput implements Nullable<Asked> {
  @Field(() => Date, { nullable: true, description: 'The hour it lies in counts; 30 days before `to` when absent.' })
  from?: Date | null;

  @Field(() => Date, { nullable: true, description: 'The hour it lies in counts; now when absent.' })
  to?: Date | null;

  @Field(() => Int, { nullable: true, description: 'Own usage ignores it.' })
  userId?: number | null;

  @Field(() => String, { nullable: true, description: 'The whole name. Own usage ignores it.' })
  username?: string | null;

  @Field(() => Int, { nullable: true })
  tokenId?: number | null;

  @Field(() => Int, { nullable: true, description: 'Own usage ignores it.' })
  channelId?: number | null;

  @Field(() => String, { nullable: true })
  modelName?: string | null;

  @Field(() => String, { nullable: true })
  group?: string | null;
}

@ArgsType()
export class UsageArgs {
  @Field(() => [dimensionEnum])
  groupBy: UsageDimension[];

  @Field(() => UsageFilterInput, { nullable: true })
  filter?: UsageFilterInput | null;

  @Field(() => SortInput, {
    nullable: true,
    description:
      'A number of the rows, or time, userId, tokenId, modelName, channelId or group where they are grouped by it; nulls come last. When absent by time, or the dearest first.',
  })
  orderBy?: SortInput | null;

  @Field(() => Int, { nullable: true, description: 'Starts at 0.' })
  page?: number | null;

  @Field(() => Int, { nullable: true, description: '1 to 100, 10 when absent.' })
  pageSize?: number | null;
}

export const usagePageQuery = ({ page, pageSize, orderBy }: UsageArgs): PageQuery =>
  toPageQuery({ page, pageSize, sort: orderBy });

export function toUsageFilter(input: Nullable<Asked> | null | undefined): UsageFilter {
  const { from, to, ...rest } = given<Asked>(input ?? {});
  const seconds = (date: Date | undefined): number | undefined => date && Math.floor(date.getTime() / 1000);
  return defined({ ...rest, from: seconds(from), to: seconds(to) });
}
