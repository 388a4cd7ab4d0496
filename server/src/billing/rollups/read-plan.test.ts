import fc from 'fast-check';
import { fiveMinutes, hour, lengthOf, minute, planRead, type ReadGranularity, type Watermarks } from './read-plan.js';

const start = 1_760_000_400;
const moment = fc.integer({ min: start - 40 * hour, max: start + 900 * hour });
const hourStart = fc.integer({ min: -40, max: 900 }).map((hours) => Math.floor(start / hour + hours) * hour);
const bucketStart = moment.map((second) => Math.floor(second / fiveMinutes) * fiveMinutes);
const watermarks: fc.Arbitrary<Watermarks> = fc
  .record({
    hoursUntil: fc.oneof(fc.constant(0), hourStart),
    behind: fc.integer({ min: -20, max: 40 }),
    minutes: fc.integer({ min: -10, max: 20 }),
    invalidated: fc.uniqueArray(fc.oneof(hourStart, bucketStart), { maxLength: 4 }),
    recent: fc.uniqueArray(fc.integer({ min: -20, max: 40 }), { maxLength: 3 }),
  })
  .map(({ hoursUntil, behind, minutes, invalidated, recent }) => ({
    hoursUntil,
    fiveMinutesUntil: Math.max(0, hoursUntil + behind * fiveMinutes),
    minutesUntil: Math.max(0, hoursUntil + behind * fiveMinutes + minutes * minute),
    invalidated: [...invalidated, ...recent.map((buckets) => hoursUntil + buckets * fiveMinutes)],
  }));
const granularities = fc.constantFrom<ReadGranularity[][]>(
  ['HOUR', 'DAY'],
  ['DAY'],
  ['HOUR'],
  [],
  ['FIVE_MINUTES', 'HOUR', 'DAY'],
  ['FIVE_MINUTES', 'HOUR'],
  ['FIVE_MINUTES'],
  ['MINUTE', 'FIVE_MINUTES', 'HOUR', 'DAY'],
  ['HOUR_PART', 'MINUTE', 'FIVE_MINUTES', 'HOUR', 'DAY'],
  ['HOUR_PART', 'HOUR'],
);
const asked = fc
  .oneof(
    fc.tuple(moment, moment),
    fc.tuple(moment, fc.nat(2 * hour)).map(([from, length]) => [from, from + length] as const),
  )
  .map(([one, other]) => ({ from: Math.min(one, other), end: Math.max(one, other) }));

it('puts every second of a range in exactly one place, and trusts only whole, aggregated, unchanged buckets', () => {
  fc.assert(
    fc.property(asked, granularities, watermarks, (range, allowed, marks) => {
      const { buckets, source } = planRead(range, allowed, marks);
      for (const { granularity, from, end } of buckets) {
        expect(allowed).toContain(granularity);
        expect([from % lengthOf[granularity], end % lengthOf[granularity]]).toEqual([0, 0]);
        if (granularity === 'MINUTE') {
          expect(from).toBeGreaterThanOrEqual(Math.max(marks.hoursUntil, marks.fiveMinutesUntil));
          expect(end).toBeLessThanOrEqual(marks.minutesUntil);
        } else if (granularity === 'FIVE_MINUTES') {
          expect(from).toBeGreaterThanOrEqual(marks.hoursUntil);
          expect(end).toBeLessThanOrEqual(marks.fiveMinutesUntil);
        } else {
          expect(end).toBeLessThanOrEqual(marks.hoursUntil);
        }
        if (granularity === 'HOUR_PART') expect(Math.floor(from / hour)).toBe(Math.floor((end - 1) / hour));
        // An hour is invalidated as a whole, minutes by the five minutes that contain them.
        const length =
          granularity === 'HOUR' || granularity === 'DAY' || granularity === 'HOUR_PART' ? hour : fiveMinutes;
        const changed = marks.invalidated.map((moment) => moment - (moment % length));
        expect(changed.filter((start) => start + length > from && start < end)).toEqual([]);
      }
      let at = range.from;
      for (const part of [...buckets, ...source].sort((left, right) => left.from - right.from)) {
        expect(part.from).toBe(at);
        expect(part.end).toBeGreaterThan(part.from);
        at = part.end;
      }
      expect(at).toBe(range.end);
    }),
    { numRuns: 3000 },
  );
});

it('reads a month as days, the hours around them, and rows only at the edges', () => {
  const from = Date.UTC(2026, 9, 1, 10, 20) / 1000;
  const end = Date.UTC(2026, 10, 1, 3, 5) / 1000;
  const marks = { hoursUntil: end - 300, fiveMinutesUntil: end, minutesUntil: end, invalidated: [] };
  const at = (...parts: [number, number, number?]): number => Date.UTC(2026, ...parts) / 1000;
  expect(planRead({ from, end }, ['FIVE_MINUTES', 'HOUR', 'DAY'], marks)).toEqual({
    buckets: [
      { granularity: 'HOUR', from: at(9, 1, 11), end: at(9, 2) },
      { granularity: 'DAY', from: at(9, 2), end: at(10, 1) },
      { granularity: 'HOUR', from: at(10, 1), end: at(10, 1, 3) },
      { granularity: 'FIVE_MINUTES', from: end - 300, end },
    ],
    source: [{ from, end: at(9, 1, 11) }],
  });
});

it('reads an invalidated hour from its rows, as a whole', () => {
  const marks = { hoursUntil: 10 * hour, fiveMinutesUntil: 0, minutesUntil: 0, invalidated: [4 * hour + 600] };
  expect(planRead({ from: 2 * hour, end: 8 * hour }, ['HOUR', 'DAY'], marks)).toEqual({
    buckets: [
      { granularity: 'HOUR', from: 2 * hour, end: 4 * hour },
      { granularity: 'HOUR', from: 5 * hour, end: 8 * hour },
    ],
    source: [{ from: 4 * hour, end: 5 * hour }],
  });
});

it('reads minutes at the edges, so that less than a minute of rows is left at the beginning', () => {
  const at = (hours: number, minutes: number, seconds = 0): number => hours * hour + minutes * minute + seconds;
  const marks = { hoursUntil: at(9, 0), fiveMinutesUntil: at(9, 25), minutesUntil: at(9, 28), invalidated: [] };
  const range = { from: at(2, 18, 5), end: at(9, 29, 30) };
  expect(planRead(range, ['HOUR_PART', 'MINUTE', 'FIVE_MINUTES', 'HOUR'], marks)).toEqual({
    buckets: [
      { granularity: 'HOUR_PART', from: at(2, 19), end: at(3, 0) },
      { granularity: 'HOUR', from: at(3, 0), end: at(9, 0) },
      { granularity: 'FIVE_MINUTES', from: at(9, 0), end: at(9, 25) },
      { granularity: 'MINUTE', from: at(9, 25), end: at(9, 28) },
    ],
    source: [
      { from: at(2, 18, 5), end: at(2, 19) },
      { from: at(9, 28), end: at(9, 29, 30) },
    ],
  });
});
