import { Field, ObjectType } from 'type-graphql';
import { fields, float, int, quota, safeInt } from '../../platform/graphql/fields.js';
import { Cost } from '../../platform/graphql/access.js';
import { PageInterface, pageItems } from '../../platform/graphql/pagination.js';
import { LogObject, OwnLogObject } from './log.object.js';
import type { LogRate, LogSums } from './log-stat.js';

@ObjectType('LogSums', { description: 'Totals of the charged calls that match the filter, ignoring its types.' })
export class LogSumsObject
  extends fields({
    quota: quota('Quota that was charged.'),
    usd: float('`quota` in USD, at today’s rate.'),
    promptTokens: safeInt('Model tokens of prompts, cached ones included.'),
    completionTokens: safeInt('Model tokens of answers, reasoning included.'),
  })
  implements LogSums {}

export const toLogSums = (sums: LogSums, quotaPerUnit: number): LogSumsObject => ({
  ...sums,
  usd: sums.quota / quotaPerUnit,
});

@ObjectType('LogRate', {
  description: 'The charged calls of the last 60 seconds that match the filter, ignoring its times and types.',
})
export class LogRateObject
  extends fields({
    calls: int('Calls that were charged.'),
    tokens: safeInt('Prompt and completion tokens.'),
  })
  implements LogRate {}

const sumsText =
  'Of charged calls (type CONSUME) that match the other fields of the filter: its `types` have no effect.';
const rateText = 'The same of the last 60 seconds: `at` of the filter has no effect either.';

@ObjectType('LogPage', { implements: PageInterface, description: 'A page of the log, as admins see it.' })
export class LogPageObject extends pageItems(LogObject) {
  @Field(() => LogSumsObject, { description: sumsText })
  @Cost(50)
  sums: LogSumsObject;

  @Field(() => LogRateObject, { description: rateText })
  @Cost(10)
  lastMinute: LogRateObject;
}

@ObjectType('OwnLogPage', { implements: PageInterface, description: 'A page of the caller’s log.' })
export class OwnLogPageObject extends pageItems(OwnLogObject) {
  @Field(() => LogSumsObject, { description: sumsText })
  @Cost(50)
  sums: LogSumsObject;

  @Field(() => LogRateObject, { description: rateText })
  @Cost(10)
  lastMinute: LogRateObject;
}
