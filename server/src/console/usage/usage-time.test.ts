import type { CalendarPeriod } from '../../shared/time-range.js';
import {
  bucketEnd,
  isApproximate,
  openPeriodOf,
  resolveComparison,
  resolveSpan,
  usageBucketEnd,
  type TimeBucket,
} from './usage-time.js';

const at = (text: string): number => Date.parse(text) / 1000;
const iso = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
const now = at('2026-11-19T09:30:10Z');
const ask = (calendar: CalendarPeriod, timeZone: string, bucket: TimeBucket | null = null, when = now) =>
  resolveSpan({ range: { calendar }, timeZone, bucket, now: when });
const shown = ({ range }: { range: { from: number; end: number } }): string[] => [iso(range.from), iso(range.end)];

it.each<[CalendarPeriod, string, string, string]>([
  ['TODAY', 'UTC', '2026-11-19T00:00:00Z', '2026-11-19T10:00:00Z'],
  ['TODAY', 'Asia/Shanghai', '2026-11-18T16:00:00Z', '2026-11-19T10:00:00Z'],
  ['YESTERDAY', 'America/New_York', '2026-11-18T05:00:00Z', '2026-11-19T05:00:00Z'],
  ['THIS_WEEK', 'UTC', '2026-11-16T00:00:00Z', '2026-11-19T10:00:00Z'],
  ['LAST_WEEK', 'Asia/Shanghai', '2026-11-08T16:00:00Z', '2026-11-15T16:00:00Z'],
  ['THIS_MONTH', 'UTC', '2026-11-01T00:00:00Z', '2026-11-19T10:00:00Z'],
  ['LAST_MONTH', 'Asia/Shanghai', '2026-09-30T16:00:00Z', '2026-10-31T16:00:00Z'],
  // Summer time ends on October 25th.
  ['LAST_MONTH', 'Europe/Berlin', '2026-09-30T22:00:00Z', '2026-10-31T23:00:00Z'],
  ['LAST_7_DAYS', 'UTC', '2026-11-13T00:00:00Z', '2026-11-19T10:00:00Z'],
  ['LAST_30_DAYS', 'UTC', '2026-10-21T00:00:00Z', '2026-11-19T10:00:00Z'],
  ['NEXT_7_DAYS', 'UTC', '2026-11-19T00:00:00Z', '2026-11-26T00:00:00Z'],
  ['NEXT_30_DAYS', 'Asia/Shanghai', '2026-11-18T16:00:00Z', '2026-12-18T16:00:00Z'],
])('reads %s in %s', (calendar, timeZone, from, until) => {
  expect(shown(ask(calendar, timeZone))).toEqual([from, until]);
});

it('has days of 23 and 25 hours where clocks change', () => {
  const lengths = (range: { from: string; until: string }): number[] => {
    const { starts } = resolveSpan({
      range: { from: at(range.from), until: at(range.until) },
      timeZone: 'Europe/Berlin',
      bucket: 'DAY',
      now,
    });
    return (starts ?? []).map((start) => (bucketEnd(start, 'DAY', 'Europe/Berlin') - start) / 3600);
  };
  expect(lengths({ from: '2026-03-27T23:00:00Z', until: '2026-03-30T22:00:00Z' })).toEqual([24, 23, 24]);
  expect(lengths({ from: '2026-10-23T22:00:00Z', until: '2026-10-26T23:00:00Z' })).toEqual([24, 25, 24]);
});

it('begins a day with the first moment it has, where midnight is skipped', () => {
  // Clocks of Beirut go from 24:00 on March 28th to 01:00.
  const { starts } = resolveSpan({
    range: { from: at('2026-03-27T22:00:00Z'), until: at('2026-03-29T21:00:00Z') },
    timeZone: 'Asia/Beirut',
    bucket: 'DAY',
    now,
  });
  expect(starts?.map(iso)).toEqual(['2026-03-27T22:00:00Z', '2026-03-28T22:00:00Z']);
});

it.each([
  ['forward', '2026-10-04', '2026-10-03T13:30:00Z', '2026-10-04T13:00:00Z', 23.5],
  ['back', '2026-04-05', '2026-04-04T13:00:00Z', '2026-04-05T13:30:00Z', 24.5],
])('has every five minutes of a day whose clock goes %s by half an hour', (_, date, from, until, hours) => {
  const { range, starts } = ask('YESTERDAY', 'Australia/Lord_Howe', 'MINUTE_5', at(`${date}T20:00:00Z`));
  expect([iso(range.from), iso(range.end)]).toEqual([from, until]);
  expect(starts).toEqual(Array.from({ length: hours * 12 }, (__, place) => at(from) + place * 300));
});

it('has every five minutes of a day of Kathmandu, which is 5 hours and 45 minutes ahead', () => {
  const { range, starts } = ask('YESTERDAY', 'Asia/Kathmandu', 'MINUTE_5');
  expect([iso(range.from), iso(range.end)]).toEqual(['2026-11-17T18:15:00Z', '2026-11-18T18:15:00Z']);
  expect(starts).toHaveLength(288);
});

it.each<[zone: string, bucket: TimeBucket, from: string, until: string, starts: string[]]>([
  // Midnight is skipped on November 4th, and 23 o'clock is repeated on February 17th.
  ['America/Sao_Paulo', 'DAY', '2018-11-03T03Z', '2018-11-06T02Z', ['2018-11-03T03', '2018-11-04T03', '2018-11-05T02']],
  ['America/Sao_Paulo', 'DAY', '2018-02-17T02Z', '2018-02-19T03Z', ['2018-02-17T02', '2018-02-18T03']],
  ['America/Sao_Paulo', 'WEEK', '2018-11-04T03Z', '2018-11-06T02Z', ['2018-10-29T03', '2018-11-05T02']],
  ['America/Sao_Paulo', 'MONTH', '2018-11-04T03Z', '2018-12-02T02Z', ['2018-11-01T03', '2018-12-01T02']],
  // There is no December 30th.
  [
    'Pacific/Apia',
    'DAY',
    '2011-12-28T10Z',
    '2012-01-01T10Z',
    ['2011-12-28T10', '2011-12-29T10', '2011-12-30T10', '2011-12-31T10'],
  ],
  ['Pacific/Apia', 'WEEK', '2011-12-28T10Z', '2012-01-02T10Z', ['2011-12-26T10', '2012-01-01T10']],
  ['Pacific/Apia', 'MONTH', '2011-12-28T10Z', '2012-01-02T10Z', ['2011-12-01T10', '2011-12-31T10']],
])('has in %s each %s once, from %s', (timeZone, bucket, from, until, starts) => {
  const range = { from: at(from.replace('Z', ':00Z')), until: at(until.replace('Z', ':00Z')) };
  const found = resolveSpan({ range, timeZone, bucket, now }).starts ?? [];
  expect(found.map(iso)).toEqual(starts.map((start) => `${start}:00:00Z`));
  for (const [place, start] of found.slice(1).entries()) expect(bucketEnd(found[place]!, bucket, timeZone)).toBe(start);
});

it('takes a calendar period over the day that Apia skipped', () => {
  const inApia = (calendar: CalendarPeriod) => shown(ask(calendar, 'Pacific/Apia', 'DAY', at('2011-12-31T20:00:00Z')));
  expect(inApia('YESTERDAY')).toEqual(['2011-12-30T10:00:00Z', '2011-12-31T10:00:00Z']);
  // The range has six days, because one was skipped.
  expect(inApia('LAST_7_DAYS')).toEqual(['2011-12-26T10:00:00Z', '2011-12-31T21:00:00Z']);
  expect(shown(ask('YESTERDAY', 'Pacific/Apia', 'DAY', at('2011-12-30T20:00:00Z')))).toEqual([
    '2011-12-30T10:00:00Z',
    '2011-12-30T10:00:00Z',
  ]);
});

it('begins weeks on Monday and months on the first, also before the range', () => {
  const range = { from: at('2026-10-30T12:00:00Z'), until: at('2026-11-09T00:00:00Z') };
  const starts = (bucket: TimeBucket) => resolveSpan({ range, timeZone: 'UTC', bucket, now }).starts?.map(iso);
  expect(starts('WEEK')).toEqual(['2026-10-26T00:00:00Z', '2026-11-02T00:00:00Z']);
  expect(starts('MONTH')).toEqual(['2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z']);
});

it('rounds a range to the hours that are counted, and to five minutes where those are asked for', () => {
  const range = { from: at('2026-11-19T06:32:08Z'), until: at('2026-11-19T09:30:10Z') };
  const rounded = (bucket: TimeBucket | null) => shown(resolveSpan({ range, timeZone: 'UTC', bucket, now }));
  expect(rounded(null)).toEqual(['2026-11-19T06:00:00Z', '2026-11-19T10:00:00Z']);
  expect(rounded('MINUTE_5')).toEqual(['2026-11-19T06:30:00Z', '2026-11-19T09:35:00Z']);
});

it('has every day of days to come, beside the same days of last week', () => {
  const question = { range: { calendar: 'NEXT_7_DAYS' }, timeZone: 'UTC', bucket: 'DAY', now } as const;
  const span = resolveSpan(question);
  expect(span.starts).toHaveLength(7);
  expect(shown(resolveComparison(span, { period: 'SAME_LAST_WEEK' }, question))).toEqual([
    '2026-11-12T00:00:00Z',
    '2026-11-19T00:00:00Z',
  ]);
});

it('leaves an empty range empty, whatever it is rounded to', () => {
  for (const moment of ['2026-11-19T06:00:00Z', '2026-11-19T06:32:08.250Z']) {
    for (const bucket of [null, 'MINUTE_5', 'HOUR', 'DAY'] as const) {
      const range = { from: at(moment), until: at(moment) };
      const span = resolveSpan({ range, timeZone: 'UTC', bucket, now });
      expect(span.range.from).toBe(span.range.end);
      expect(span.starts ?? []).toEqual([]);
    }
  }
  const ahead = resolveSpan({ range: { from: now + 90 }, timeZone: 'UTC', bucket: null, now });
  expect(shown(ahead)).toEqual(['2026-11-19T09:00:00Z', '2026-11-19T09:00:00Z']);
});

it('has thirty days before `until`, and ends now', () => {
  const open = (range: object) => shown(resolveSpan({ range, timeZone: 'UTC', bucket: null, now }));
  expect(open({ until: at('2026-11-01T00:00:00Z') })).toEqual(['2026-10-02T00:00:00Z', '2026-11-01T00:00:00Z']);
  expect(open({ from: at('2026-11-19T00:00:00Z') })).toEqual(['2026-11-19T00:00:00Z', '2026-11-19T10:00:00Z']);
});

it.each([
  ['a calendar beside a range', { calendar: 'TODAY', from: 1 }, 'UTC', null, 'range'],
  ['an end before the start', { from: 7200, until: 3600 }, 'UTC', null, 'range'],
  ['an unknown zone', {}, 'Mars/Olympus', null, 'timeZone'],
  ['an offset', {}, '+08:00', null, 'timeZone'],
  ['too many buckets', { from: 0, until: 365 * 86_400 * 2 }, 'UTC', 'HOUR', 'bucket'],
] as const)('refuses %s', (_, range, timeZone, bucket, field) => {
  expect(() => resolveSpan({ range, timeZone, bucket, now })).toThrow(
    expect.objectContaining({ code: 'INVALID_INPUT', field }) as Error,
  );
});

it('moves midnights within an hour to its end, which is the same date', () => {
  const days = ask('LAST_7_DAYS', 'Asia/Kolkata', 'DAY');
  expect(days.starts?.map(iso)).toEqual([12, 13, 14, 15, 16, 17, 18].map((day) => `2026-11-${day}T19:00:00Z`));
  expect(iso(usageBucketEnd(days.starts?.[0] ?? 0, 'DAY', 'Asia/Kolkata'))).toBe('2026-11-13T19:00:00Z');
  expect(shown(ask('YESTERDAY', 'Asia/Kathmandu', null))).toEqual(['2026-11-17T19:00:00Z', '2026-11-18T19:00:00Z']);
  expect(ask('LAST_MONTH', 'Asia/Kolkata', 'MONTH').starts?.map(iso)).toEqual(['2026-09-30T19:00:00Z']);
  // An hour is a UTC hour in every zone.
  expect(ask('YESTERDAY', 'Asia/Kolkata', 'HOUR').starts).toHaveLength(24);
  // Summer time of Lord Howe Island is eleven hours ahead, and ended on April 5th. Since then it is ten and a half
  // hours ahead.
  const inMay = ask('LAST_MONTH', 'Australia/Lord_Howe', null, at('2026-05-10T00:00:00Z'));
  expect(shown(inMay)).toEqual(['2026-03-31T13:00:00Z', '2026-04-30T14:00:00Z']);
});

it.each([
  ['2026-11-18T18:29:00Z', '2026-11-18T19:00:00Z', (23 * 60 + 29) / (24 * 60)],
  // The day has begun, but its first hour has not.
  ['2026-11-18T18:45:00Z', null, null],
  ['2026-11-18T19:00:00Z', null, null],
  ['2026-11-18T19:15:00Z', '2026-11-19T19:00:00Z', 1 / 96],
])('at %s, a day of a half-hour zone ends at %s and %s of it has passed', (when, end, passed) => {
  const question = { range: { calendar: 'TODAY' }, timeZone: 'Asia/Kolkata', bucket: null, now: at(when) } as const;
  expect(openPeriodOf(resolveSpan(question), question)).toEqual(end && { end: at(end), passed });
});

it('has the whole first day of a range that begins at a midnight within an hour', () => {
  const range = { from: at('2026-11-16T18:30:00Z'), until: at('2026-11-18T18:30:00Z') };
  const { starts } = resolveSpan({ range, timeZone: 'Asia/Kolkata', bucket: 'DAY', now });
  expect(starts?.map(iso)).toEqual(['2026-11-16T19:00:00Z', '2026-11-17T19:00:00Z']);
  const later = { ...range, from: at('2026-11-16T18:40:00Z') };
  expect(shown(resolveSpan({ range: later, timeZone: 'Asia/Kolkata', bucket: 'DAY', now }))).toEqual([
    '2026-11-16T18:00:00Z',
    '2026-11-18T19:00:00Z',
  ]);
});

it.each([
  [true, 'Asia/Kolkata', 'DAY', {}],
  [true, 'Asia/Kolkata', null, { calendar: 'TODAY' }],
  [true, 'Asia/Kolkata', 'HOUR', { calendar: 'TODAY' }],
  [false, 'Asia/Kolkata', 'HOUR', {}],
  [false, 'Asia/Kolkata', null, {}],
  [false, 'Asia/Kolkata', 'MINUTE_5', { calendar: 'TODAY' }],
  [false, 'Asia/Shanghai', 'DAY', { calendar: 'TODAY' }],
] as const)('is approximate (%s) in %s by %s of %j', (expected, timeZone, bucket, range) => {
  const question = { range, timeZone, bucket, now };
  expect(isApproximate(resolveSpan(question), question)).toBe(expected);
});

it('leaves a half-hour zone as it is where no day matters', () => {
  const range = { from: at('2026-11-19T00:00:00Z'), until: at('2026-11-19T03:00:00Z') };
  expect(resolveSpan({ range, timeZone: 'Asia/Kolkata', bucket: 'MINUTE_5', now }).starts).toHaveLength(36);
  expect(resolveSpan({ range, timeZone: 'Asia/Kolkata', bucket: null, now }).starts).toBeNull();
});

describe('comparison', () => {
  const compare = (
    calendar: CalendarPeriod,
    period: 'PREVIOUS' | 'PREVIOUS_CALENDAR' | 'SAME_LAST_WEEK' | 'SAME_LAST_YEAR',
    timeZone = 'UTC',
  ) => {
    const question = { range: { calendar }, timeZone, bucket: null, now };
    return shown(resolveComparison(resolveSpan(question), { period }, question));
  };

  it('PREVIOUS has the same length and ends where the range begins', () => {
    expect(compare('THIS_WEEK', 'PREVIOUS')).toEqual(['2026-11-12T14:00:00Z', '2026-11-16T00:00:00Z']);
    expect(compare('LAST_WEEK', 'PREVIOUS')).toEqual(['2026-11-02T00:00:00Z', '2026-11-09T00:00:00Z']);
  });

  it('PREVIOUS_CALENDAR is the whole period before', () => {
    expect(compare('THIS_MONTH', 'PREVIOUS_CALENDAR')).toEqual(['2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z']);
    expect(compare('LAST_MONTH', 'PREVIOUS_CALENDAR')).toEqual(['2026-09-01T00:00:00Z', '2026-10-01T00:00:00Z']);
    expect(compare('THIS_WEEK', 'PREVIOUS_CALENDAR')).toEqual(['2026-11-09T00:00:00Z', '2026-11-16T00:00:00Z']);
  });

  it('SAME_LAST_WEEK is as far into last week', () => {
    expect(compare('THIS_WEEK', 'SAME_LAST_WEEK')).toEqual(['2026-11-09T00:00:00Z', '2026-11-12T10:00:00Z']);
    // The clocks of New York changed on November 1st.
    const question = {
      range: { from: at('2026-11-02T05:00:00Z'), until: at('2026-11-03T05:00:00Z') },
      timeZone: 'America/New_York',
      bucket: null,
      now,
    };
    expect(shown(resolveComparison(resolveSpan(question), { period: 'SAME_LAST_WEEK' }, question))).toEqual([
      '2026-10-26T04:00:00Z',
      '2026-10-27T04:00:00Z',
    ]);
  });

  it('compares with days of a half-hour zone', () => {
    expect(compare('YESTERDAY', 'PREVIOUS_CALENDAR', 'Asia/Kolkata')).toEqual([
      '2026-11-16T19:00:00Z',
      '2026-11-17T19:00:00Z',
    ]);
    expect(compare('YESTERDAY', 'SAME_LAST_WEEK', 'Asia/Kolkata')).toEqual([
      '2026-11-10T19:00:00Z',
      '2026-11-11T19:00:00Z',
    ]);
  });

  it('SAME_LAST_YEAR keeps the date', () => {
    expect(compare('TODAY', 'SAME_LAST_YEAR')).toEqual(['2025-11-19T00:00:00Z', '2025-11-19T10:00:00Z']);
  });

  it('SAME_LAST_YEAR has nothing to compare with a leap day, and the days around it stay apart', () => {
    const of = (from: string, until: string, bucket: TimeBucket) => {
      const question = { range: { from: at(from), until: at(until) }, timeZone: 'UTC', bucket, now };
      return resolveComparison(resolveSpan(question), { period: 'SAME_LAST_YEAR' }, question);
    };
    const hours = of('2028-02-28T00:00:00Z', '2028-03-02T00:00:00Z', 'HOUR');
    expect(shown(hours)).toEqual(['2027-02-28T00:00:00Z', '2027-03-02T00:00:00Z']);
    const starts = hours.starts ?? [];
    // Rows are assigned by binary search.
    expect(starts).toEqual([...starts].sort((left, right) => left - right));
    expect(starts).toHaveLength(72);
    expect([starts[23], starts[24], starts[47], starts[48], starts[49]]).toEqual(
      ['2027-02-28T23', '2027-03-01T00', '2027-03-01T00', '2027-03-01T00', '2027-03-01T01'].map((hour) =>
        at(`${hour}:00:00Z`),
      ),
    );
    expect(of('2028-02-29T00:00:00Z', '2028-03-01T00:00:00Z', 'DAY').range).toEqual({
      from: at('2027-03-01T00:00:00Z'),
      end: at('2027-03-01T00:00:00Z'),
    });
  });

  it('refuses both, neither, and a calendar of a plain range', () => {
    const question = { range: { from: 0, until: 3600 }, timeZone: 'UTC', bucket: null, now };
    const span = resolveSpan(question);
    const refused = expect.objectContaining({ code: 'INVALID_INPUT', field: 'compareTo' }) as Error;
    expect(() => resolveComparison(span, {}, question)).toThrow(refused);
    expect(() => resolveComparison(span, { period: 'PREVIOUS', range: {} }, question)).toThrow(refused);
    expect(() => resolveComparison(span, { period: 'PREVIOUS_CALENDAR' }, question)).toThrow(refused);
  });
});
