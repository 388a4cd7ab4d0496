import { dayOf, offsetAt, startOfDay } from './calendar.js';
import { resolveTimeRange, type CalendarPeriod } from './time-range.js';

const iso = (date: Date | null): string | undefined => date?.toISOString();

describe('the start of a day', () => {
  it.each([
    ['UTC', { year: 2026, month: 11, day: 1 }, '2026-11-01T00:00:00.000Z'],
    ['Asia/Shanghai', { year: 2026, month: 11, day: 1 }, '2026-10-31T16:00:00.000Z'],
    ['Asia/Kolkata', { year: 2026, month: 11, day: 1 }, '2026-10-31T18:30:00.000Z'],
    // The clock goes back in the night of November 1, and forward in that of March 8.
    ['America/New_York', { year: 2026, month: 11, day: 1 }, '2026-11-01T04:00:00.000Z'],
    ['America/New_York', { year: 2026, month: 11, day: 2 }, '2026-11-02T05:00:00.000Z'],
    ['America/New_York', { year: 2026, month: 3, day: 8 }, '2026-03-08T05:00:00.000Z'],
    ['America/New_York', { year: 2026, month: 3, day: 9 }, '2026-03-09T04:00:00.000Z'],
    // Midnight is skipped here: the day begins at 1 o'clock.
    ['Africa/Cairo', { year: 2026, month: 4, day: 24 }, '2026-04-23T22:00:00.000Z'],
    // Days beyond the month carry over.
    ['UTC', { year: 2026, month: 12, day: 32 }, '2027-01-01T00:00:00.000Z'],
    ['UTC', { year: 2026, month: 13, day: 1 }, '2027-01-01T00:00:00.000Z'],
  ])('in %s, %j', (zone, day, expected) => {
    expect(iso(startOfDay(day, zone))).toBe(expected);
  });

  it.each(['UTC', 'Asia/Shanghai', 'America/New_York', 'Africa/Cairo', 'Australia/Lord_Howe', 'America/Santiago'])(
    'lies in that day, and the instant before in the day before: every day of a year in %s',
    (zone) => {
      for (let day = 1; day <= 366; day++) {
        const start = startOfDay({ year: 2026, month: 1, day }, zone);
        const wanted = new Date(Date.UTC(2026, 0, day));
        const before = new Date(Date.UTC(2026, 0, day - 1));
        expect([day, dayOf(start, zone).day]).toEqual([day, wanted.getUTCDate()]);
        expect([day, dayOf(new Date(start.getTime() - 1000), zone).day]).toEqual([day, before.getUTCDate()]);
      }
    },
  );

  it('knows how far a zone is ahead', () => {
    expect(offsetAt(new Date('2026-07-01T00:00:00Z'), 'Asia/Shanghai')).toBe(8 * 3_600_000);
    expect(offsetAt(new Date('2026-07-01T00:00:00.5Z'), 'America/New_York')).toBe(-4 * 3_600_000);
  });
});

describe('a calendar period', () => {
  // A Wednesday in Shanghai, still Tuesday in UTC.
  const now = new Date('2026-11-17T17:30:00Z');
  it.each<[CalendarPeriod, string, string]>([
    ['TODAY', '2026-11-17T16:00:00.000Z', '2026-11-18T16:00:00.000Z'],
    ['YESTERDAY', '2026-11-16T16:00:00.000Z', '2026-11-17T16:00:00.000Z'],
    ['THIS_WEEK', '2026-11-15T16:00:00.000Z', '2026-11-22T16:00:00.000Z'],
    ['LAST_WEEK', '2026-11-08T16:00:00.000Z', '2026-11-15T16:00:00.000Z'],
    ['THIS_MONTH', '2026-10-31T16:00:00.000Z', '2026-11-30T16:00:00.000Z'],
    ['LAST_MONTH', '2026-09-30T16:00:00.000Z', '2026-10-31T16:00:00.000Z'],
    ['LAST_7_DAYS', '2026-11-11T16:00:00.000Z', '2026-11-18T16:00:00.000Z'],
    ['LAST_30_DAYS', '2026-10-19T16:00:00.000Z', '2026-11-18T16:00:00.000Z'],
    ['NEXT_7_DAYS', '2026-11-17T16:00:00.000Z', '2026-11-24T16:00:00.000Z'],
    ['NEXT_30_DAYS', '2026-11-17T16:00:00.000Z', '2026-12-17T16:00:00.000Z'],
  ])('%s in Asia/Shanghai', (calendar, from, until) => {
    const range = resolveTimeRange({ calendar }, { timeZone: 'Asia/Shanghai', now });
    expect([iso(range.from), iso(range.until)]).toEqual([from, until]);
  });

  it('prefers the zone of the range, and takes UTC without one', () => {
    const range = { calendar: 'TODAY', timeZone: 'Asia/Tokyo' } as const;
    expect(iso(resolveTimeRange(range, { timeZone: 'UTC', now }).from)).toBe('2026-11-17T15:00:00.000Z');
    expect(iso(resolveTimeRange({ calendar: 'TODAY' }, { now }).from)).toBe('2026-11-17T00:00:00.000Z');
  });

  it('is refused beside bounds, and in an unknown zone', () => {
    expect(() => resolveTimeRange({ calendar: 'TODAY', from: now })).toThrow('either calendar, or from');
    expect(() => resolveTimeRange({ calendar: 'TODAY' }, { timeZone: 'Mars/Olympus' })).toThrow('Unknown time zone');
  });
});

it('bounds are taken as they are; a range that ends before it begins is refused', () => {
  const [from, until] = [new Date(1000), new Date(2000)];
  expect(resolveTimeRange({ from, until })).toEqual({ from, until });
  expect(resolveTimeRange({ from })).toEqual({ from, until: null });
  expect(resolveTimeRange(null)).toEqual({ from: null, until: null });
  expect(() => resolveTimeRange({ from: until, until: from })).toThrow('ends before it begins');
});
