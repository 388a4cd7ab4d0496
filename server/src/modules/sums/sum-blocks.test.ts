import fc from 'fast-check';
import { allSpans, hour, lengthOf, placesOf, slot, slotSpan, widened, type FoldState } from './sum-blocks.js';

const start = 1_760_000_400;
const moment = fc.integer({ min: start - 40 * hour, max: start + 900 * hour });
const hourStart = fc.integer({ min: -40, max: 900 }).map((hours) => Math.floor(start / hour + hours) * hour);
const slotStart = moment.map((second) => Math.floor(second / slot) * slot);
const state: fc.Arbitrary<FoldState> = fc
  .record({
    foldedUntil: fc.oneof(fc.constant(0), hourStart),
    slotsBehind: fc.integer({ min: -20, max: 40 }),
    late: fc.uniqueArray(fc.oneof(hourStart, slotStart), { maxLength: 4 }),
    lateSlots: fc.uniqueArray(fc.integer({ min: -15, max: 40 }), { maxLength: 3 }),
  })
  .map(({ foldedUntil, slotsBehind, late, lateSlots }) => ({
    foldedUntil,
    slotsUntil: Math.max(0, foldedUntil + slotsBehind * slot),
    late: [...late, ...lateSlots.map((slots) => foldedUntil + slots * slot)],
  }));
const spans = fc.constantFrom(
  ...[[...allSpans], [1], [1, 6, 24], [6, 24, 168], []],
  ...[[slotSpan, ...allSpans], [slotSpan], [slotSpan, 1]],
);

it('finds every moment of a range in exactly one place, and trusts only whole blocks that are folded and unchanged', () => {
  fc.assert(
    fc.property(moment, moment, spans, state, (one, other, allowed, folds) => {
      const range = { from: Math.min(one, other), end: Math.max(one, other) };
      const { sums, source } = placesOf(range, allowed, folds);
      for (const { span, from, end } of sums) {
        expect(allowed).toContain(span);
        expect([from % lengthOf(span), end % lengthOf(span)]).toEqual([0, 0]);
        if (span === slotSpan) expect(from).toBeGreaterThanOrEqual(folds.foldedUntil);
        expect(end).toBeLessThanOrEqual(span === slotSpan ? folds.slotsUntil : folds.foldedUntil);
        expect(folds.late.filter((late) => late >= from && late < end)).toEqual([]);
      }
      const parts = [...sums, ...source].sort((left, right) => left.from - right.from);
      let at = range.from;
      for (const part of parts) {
        expect(part.from).toBe(at);
        expect(part.end).toBeGreaterThan(part.from);
        at = part.end;
      }
      expect(at).toBe(parts.length === 0 ? range.from : range.end);
      if (range.from < range.end) expect(at).toBe(range.end);
    }),
    { numRuns: 2000 },
  );
});

it('takes the longest blocks it can: a month is some twenty of them, wherever it begins', () => {
  fc.assert(
    fc.property(hourStart, (from) => {
      const { sums, source } = placesOf({ from, end: from + 720 * hour }, allSpans, {
        foldedUntil: from + 720 * hour,
        slotsUntil: 0,
        late: [],
      });
      const blocks = sums.reduce((count, block) => count + (block.end - block.from) / (block.span * hour), 0);
      expect(source).toEqual([]);
      expect(blocks).toBeLessThanOrEqual(5 + 3 + 6 + 4 + 6 + 3 + 5);
    }),
  );
});

it('reads all time at once', () => {
  const end = Number.MAX_SAFE_INTEGER;
  const { sums, source } = placesOf({ from: 0, end }, allSpans, {
    foldedUntil: 1000 * 168 * hour,
    slotsUntil: 0,
    late: [],
  });
  expect(sums).toEqual([{ span: 168, from: 0, end: 1000 * 168 * hour }]);
  expect(source).toEqual([{ from: 1000 * 168 * hour, end }]);
});

it('reads the hours that are not folded from their slots, save the last and those that changed since', () => {
  const from = 168 * hour;
  const { sums, source } = placesOf({ from: 17, end: from + 1700 }, [slotSpan, ...allSpans], {
    foldedUntil: from,
    slotsUntil: from + 5 * slot,
    late: [from + 2 * slot, from + 9 * slot],
  });
  expect(sums.filter(({ span }) => span === slotSpan)).toEqual([
    { span: slotSpan, from, end: from + 2 * slot },
    { span: slotSpan, from: from + 3 * slot, end: from + 5 * slot },
  ]);
  expect(source).toEqual([
    { from: 17, end: hour },
    { from: from + 2 * slot, end: from + 3 * slot },
    { from: from + 5 * slot, end: from + 1700 },
  ]);
});

it('makes edges whole only where the sums have them, and reads at most half an hour of rows for each', () => {
  let made = 0;
  fc.assert(
    fc.property(moment, moment, state, moment, (one, other, folds, since) => {
      const range = { from: Math.min(one, other), end: Math.max(one, other) };
      const { wide, extra } = widened(range, folds, since);
      const before = { from: wide.from, end: range.from };
      const after = { from: range.end, end: wide.end };
      expect(extra).toEqual([before, after].filter(({ from, end }) => from < end));
      for (const { from, end } of extra) {
        made += 1;
        const start = Math.floor(from / hour) * hour;
        expect(end - from).toBeLessThan(hour / 2);
        expect(start).toBeGreaterThanOrEqual(since);
        expect(start + hour).toBeLessThanOrEqual(folds.foldedUntil);
        // The rest of the hour is asked for, and nothing of it changed since.
        expect(Math.min(range.end, start + hour) - Math.max(range.from, start)).toBe(hour - (end - from));
        expect(folds.late.filter((late) => late >= start && late < start + hour)).toEqual([]);
      }
    }),
    { numRuns: 3000 },
  );
  expect(made).toBeGreaterThan(100);
});
