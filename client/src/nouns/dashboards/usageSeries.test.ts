import { builtInDashboards } from './builtIn.js';
import { reader } from '../../lib/reader.js';
import { session } from '../../lib/session.js';
import {
  centDigits,
  bucketsOf,
  granularities,
  granularitiesFor,
  granularityFor,
  hasOtherDays,
  labelsOf,
  viewerZone,
  withoutHoles,
} from './usageSeries.js';

const at = (text: string) => new Date(text).getTime();

it('draws hours for a week at most', () => {
  expect([granularityFor('hour', 7), granularityFor('hour', 30), granularityFor('week', 90)]).toEqual([
    'hour',
    'day',
    'week',
  ]);
});

it('asks for as many buckets as a range can touch, within one page', () => {
  // The range is from the middle of an hour, or of a day, to another.
  expect(bucketsOf(7, 'hour')).toBeGreaterThanOrEqual(7 * 24 + 1);
  expect(bucketsOf(30, 'day')).toBeGreaterThanOrEqual(31);
  expect(bucketsOf(90, 'week')).toBeGreaterThanOrEqual(14);
});

it('has no more buckets than the pages of the built-in panels, however long the range', () => {
  const { panels } = builtInDashboards.site;
  const pageOf = (title: string) =>
    Number(/pageSize: (\d+)/.exec(panels.find((panel) => panel.title === title)?.query ?? '')?.[1]);
  const ranges = Array.from({ length: 25 * 365 }, (_, index) => index + 1);
  for (const wanted of granularities) {
    const most = Math.max(...ranges.map((days) => bucketsOf(days, granularityFor(wanted, days))));
    expect(most).toBeLessThanOrEqual(pageOf('Calls'));
    // Ten models and all others.
    expect(most * 11).toBeLessThanOrEqual(pageOf('Spend by model'));
  }
});

it('offers the granularities that a range is not too long for', () => {
  expect([7, 330, 331, 2301].map(granularitiesFor)).toEqual([
    ['hour', 'day', 'week'],
    ['day', 'week'],
    ['week', 'month'],
    ['month'],
  ]);
});

it('labels each bucket differently, also in the hour that a clock shows twice and across years', () => {
  const hour = 3_600_000;
  const [hours, days] = [at('2026-11-01T05:00:00Z'), at('2025-11-20T00:00:00Z')];
  expect(labelsOf([hours - hour, hours, hours + hour, hours + 2 * hour], 'hour', 'America/New_York')).toEqual([
    ...['11-01 00:00', '11-01 01:00 GMT-4', '11-01 01:00 GMT-5', '11-01 02:00'],
  ]);
  const year = Array.from({ length: 53 }, (_, week) => days + week * 168 * hour);
  expect(labelsOf(year, 'week', 'UTC').slice(0, 2)).toEqual(['2025-11-20', '2025-11-27']);
  expect(labelsOf(year.slice(0, 2), 'week', 'UTC')).toEqual(['11-20', '11-27']);
  expect(labelsOf([at('2025-12-01T00:00:00Z'), at('2026-12-01T00:00:00Z')], 'month', 'UTC')).toEqual([
    ...['2025-12', '2026-12'],
  ]);
});

it('asks in the time zone of the viewer, save where its days begin at half past', () => {
  expect(viewerZone('Asia/Shanghai')).toBe('Asia/Shanghai');
  expect(viewerZone('Asia/Kolkata')).toBe('UTC');
  expect(viewerZone('No/Such')).toBe('UTC');
});

it('names the days of UTC by their date there, where those of the reader begin at half past', () => {
  session.start({ id: 1, username: 'ada', displayName: 'Ada', role: 1, status: 1, group: 'default' });
  reader.set({ currency: null, timeZone: 'America/St_Johns' });
  const starts = [at('2025-11-20T00:00:00Z'), at('2025-11-21T00:00:00Z')];
  expect([hasOtherDays(), labelsOf(starts, 'day')]).toEqual([true, ['11-20', '11-21']]);
  expect(labelsOf(starts.slice(0, 1), 'hour')).toEqual(['11-19 20:30']);
  reader.set({ currency: null, timeZone: 'Asia/Shanghai' });
  expect(hasOtherDays()).toBe(false);
  session.end();
});

it('writes amounts so that the marks of an axis differ', () => {
  expect([0, 12, 0.5, 0.49, 0.009, 0.0049, 0.000_01].map(centDigits)).toEqual([2, 2, 2, 4, 4, 6, 6]);
});

describe('buckets that have no row', () => {
  it('names one bucket by its hour, because its length is not known', () => {
    expect(withoutHoles([at('2025-11-20T00:00:00Z')])).toMatchObject({ granularity: 'hour' });
  });

  const inBerlin = (starts: readonly string[]) => {
    const { starts: all, granularity } = withoutHoles(starts.map(at));
    return [granularity, labelsOf(all, granularity, 'Europe/Berlin')];
  };

  it('are days, also those in which a clock changes', () => {
    // 29 March 2026 has 23 hours, and 25 October 25.
    expect(inBerlin(['2026-03-27T23:00:00Z', '2026-03-28T23:00:00Z', '2026-03-30T22:00:00Z'])).toEqual([
      'day',
      ['03-28', '03-29', '03-30', '03-31'],
    ]);
    expect(inBerlin(['2026-10-23T22:00:00Z', '2026-10-24T22:00:00Z', '2026-10-26T23:00:00Z'])).toEqual([
      'day',
      ['10-24', '10-25', '10-26', '10-27'],
    ]);
  });

  it('are hours, and five minutes of the last hours', () => {
    const hours = ['00', '01', '04'].map((hour) => at(`2026-11-01T${hour}:00:00Z`));
    expect(withoutHoles(hours).starts).toEqual(
      ['00', '01', '02', '03', '04'].map((hour) => at(`2026-11-01T${hour}:00:00Z`)),
    );
    const minutes = (...all: number[]) => all.map((minute) => at('2026-11-01T00:00:00Z') + minute * 60_000);
    expect(withoutHoles(minutes(0, 5, 20)).starts).toEqual(minutes(0, 5, 10, 15, 20));
  });

  it('are weeks, and months of different length', () => {
    expect(inBerlin(['2026-10-11T22:00:00Z', '2026-10-18T22:00:00Z', '2026-11-01T23:00:00Z'])).toEqual([
      'week',
      ['10-12', '10-19', '10-26', '11-02'],
    ]);
    expect(inBerlin(['2025-12-31T23:00:00Z', '2026-03-31T22:00:00Z', '2026-04-30T22:00:00Z'])).toEqual([
      'month',
      ['2026-01', '2026-02', '2026-03', '2026-04', '2026-05'],
    ]);
  });

  it('are none between moments that are no starts, as those of calls', () => {
    const calls = ['00:00:00.100', '00:00:09.000', '04:30:01.000'].map((time) => at(`2026-11-01T${time}Z`));
    expect(withoutHoles(calls).starts).toEqual(calls);
    expect(withoutHoles([]).starts).toEqual([]);
    const far = [0, 3_600_000, 6000 * 3_600_000];
    expect(withoutHoles(far).starts).toEqual(far);
  });
});
