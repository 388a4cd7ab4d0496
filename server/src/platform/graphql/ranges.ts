import { Field, InputType, Int } from 'type-graphql';
import type { CalendarPeriod, TimeRangeInput } from '../../shared/time-range.js';
import { CalendarPeriodEnum } from './enums.js';
import { GraphQLQuota, GraphQLTimeZone } from './scalars.js';

@InputType('TimeRange', {
  description:
    'A half-open range from one instant (included) to another (excluded), or a calendar period. An absent bound is unbounded.',
})
export class TimeRangeObject implements TimeRangeInput {
  @Field(() => Date, { nullable: true, description: 'Included.' })
  from?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Excluded.' })
  until?: Date | null;

  @Field(() => CalendarPeriodEnum, { nullable: true, description: 'In place of `from` and `until`.' })
  calendar?: CalendarPeriod | null;

  @Field(() => GraphQLTimeZone, {
    nullable: true,
    description: 'Time zone of `calendar`. When absent: the `timeZone` argument of the same field, else UTC.',
  })
  timeZone?: string | null;
}

/** The description of a `timeZone` argument beside `range`. */
export const bucketZone = 'Of calendar periods and buckets. When absent: that of `range`, else UTC.';

/** Returns the zone of buckets, and that of a calendar period in `range`. Each falls back to the other, then to UTC. */
export function zonesOf(
  range: TimeRangeObject | null | undefined,
  timeZone: string | null | undefined,
): { timeZone: string; rangeTimeZone: string } {
  const ofRange = range?.timeZone ?? timeZone ?? 'UTC';
  return { timeZone: timeZone ?? ofRange, rangeTimeZone: ofRange };
}

@InputType('MillisecondRange', {
  description: 'A half-open range from one duration (included) to another (excluded). An absent bound is unbounded.',
})
export class MillisecondRangeObject {
  @Field(() => Int, { nullable: true, description: 'Milliseconds. Included.' })
  atLeast?: number | null;

  @Field(() => Int, { nullable: true, description: 'Milliseconds. Excluded.' })
  below?: number | null;
}

@InputType('QuotaRange', {
  description: 'A half-open range from one amount (included) to another (excluded). An absent bound is unbounded.',
})
export class QuotaRangeObject {
  @Field(() => GraphQLQuota, { nullable: true, description: 'Included.' })
  atLeast?: number | null;

  @Field(() => GraphQLQuota, { nullable: true, description: 'Excluded.' })
  below?: number | null;
}
