import { InputType } from 'type-graphql';
import { inputFields, int, moment, nullable, quota } from './fields.js';
import type { CalendarPeriod, TimeRangeInput } from '../../shared/time-range.js';
import { CalendarPeriodEnum } from './enums.js';
import { GraphQLTimeZone } from './scalars.js';

@InputType('TimeRange', {
  description:
    'A half-open range from one instant (included) to another (excluded), or a calendar period. An absent bound is unbounded.',
})
export class TimeRangeObject
  extends inputFields({
    from: moment.orNull('Included.'),
    until: moment.orNull('Excluded.'),
    calendar: nullable<CalendarPeriod>(() => CalendarPeriodEnum, 'In place of `from` and `until`.'),
    timeZone: nullable<string>(
      () => GraphQLTimeZone,
      'Time zone of `calendar`. When absent: the `timeZone` argument of the same field, else UTC.',
    ),
  })
  implements TimeRangeInput {}

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
export class MillisecondRangeObject extends inputFields({
  atLeast: int.orNull('Milliseconds. Included.'),
  below: int.orNull('Milliseconds. Excluded.'),
}) {}

@InputType('QuotaRange', {
  description: 'A half-open range from one amount (included) to another (excluded). An absent bound is unbounded.',
})
export class QuotaRangeObject extends inputFields({
  atLeast: quota.orNull('Included.'),
  below: quota.orNull('Excluded.'),
}) {}
