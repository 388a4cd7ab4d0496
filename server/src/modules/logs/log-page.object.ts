import { Field, Float, Int, ObjectType } from 'type-graphql';
import { Cost } from '../../graphql/access.js';
import { PageInterface, pageItems } from '../../graphql/pagination.js';
import { GraphQLQuota, GraphQLSafeInt } from '../../graphql/scalars.js';
import { LogObject, OwnLogObject } from './log.object.js';
import type { LogRate, LogSums } from './log.service.js';

@ObjectType('LogSums', { description: 'Totals of the charged calls that match the filter, ignoring its types.' })
export class LogSumsObject implements LogSums {
  @Field(() => GraphQLQuota)
  quota: number;

  @Field(() => Float)
  usd: number;

  @Field(() => GraphQLSafeInt)
  promptTokens: number;

  @Field(() => GraphQLSafeInt)
  completionTokens: number;
}

export const toLogSums = (sums: LogSums, quotaPerUnit: number): LogSumsObject => ({
  ...sums,
  usd: sums.quota / quotaPerUnit,
});

@ObjectType('LogRate', {
  description: 'The charged calls of the last 60 seconds that match the filter, ignoring its times and types.',
})
export class LogRateObject implements LogRate {
  @Field(() => Int)
  calls: number;

  @Field(() => GraphQLSafeInt, { description: 'Prompt and completion tokens.' })
  tokens: number;
}

@ObjectType('LogPage', { implements: PageInterface })
export class LogPageObject extends pageItems(LogObject) {
  @Field(() => LogSumsObject)
  @Cost(50)
  sums: LogSumsObject;

  @Field(() => LogRateObject)
  @Cost(10)
  lastMinute: LogRateObject;
}

@ObjectType('OwnLogPage', { implements: PageInterface })
export class OwnLogPageObject extends pageItems(OwnLogObject) {
  @Field(() => LogSumsObject)
  @Cost(50)
  sums: LogSumsObject;

  @Field(() => LogRateObject)
  @Cost(10)
  lastMinute: LogRateObject;
}
