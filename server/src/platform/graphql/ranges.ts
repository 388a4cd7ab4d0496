import { InputType } from 'type-graphql';
import { inputFields, int, moment, nullable, quota } from './fields.js';
import { resolveTimeRange, type CalendarPeriod, type TimeRange, type TimeRangeInput } from '../../shared/time-range.js';
import { CalendarPeriodEnum } from './enums.js';
import { omitNullish, type Nullable } from './nullable.js';
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

/** A filter as clients send it, whose ranges may be calendar periods. */
type GivenFilter<Filter> = Nullable<{
  [Field in keyof Filter]: NonNullable<Filter[Field]> extends TimeRange ? TimeRangeInput : Filter[Field];
}>;

/**
 * Returns a filter without the fields that are null.
 * @param ranges the fields that are ranges of time
 * @param path the name of the filter in errors
 * @throws InvalidInputError for an invalid range
 */
export function toFilter<Filter extends object>(
  given: GivenFilter<Filter> | null | undefined,
  ranges: ReadonlyArray<keyof Filter & string> = [],
  path = 'filter',
): Partial<Filter> {
  const filter: Partial<Record<string, unknown>> = omitNullish(given ?? {});
  for (const name of ranges) {
    const range = filter[name];
    if (range) filter[name] = resolveTimeRange(range, { field: `${path}.${name}` });
  }
  return filter as Partial<Filter>;
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
