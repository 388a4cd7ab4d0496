import fc from 'fast-check';
import {
  allSpans,
  edgesOf,
  hour,
  lengthOf,
  minute,
  minuteSpan,
  placesOf,
  slot,
  slotSpan,
  totalOf,
  type FoldState,
} from './sum-blocks.js';

const start = 1_760_000_400;
const moment = fc.integer({ min: start - 40 * hour, max: start + 900 * hour });
const hourStart = fc.integer({ min: -40, max: 900 }).map((hours) => Math.floor(start / hour + hours) * hour);
const slotStart = moment.map((second) => Math.floor(second / slot) * slot);
const state: fc.Arbitrary<FoldState> = fc
  .record({
    foldedUntil: fc.oneof(fc.constant(0), hourStart),
    slotsBehind: fc.integer({ min: -20, max: 40 }),
    minutesBehind: fc.integer({ min: -20, max: 40 }),
    late: fc.uniqueArray(fc.oneof(hourStart, slotStart), { maxLength: 4 }),
    lateMinutes: fc.uniqueArray(fc.integer({ min: -75, max: 240 }), { maxLength: 3 }),
    slotted: fc.uniqueArray(hourStart, { maxLength: 3 }),
  })
  .map(({ foldedUntil, slotsBehind, minutesBehind, late, lateMinutes, slotted }) => {
    const slotsUntil = Math.max(0, foldedUntil + slotsBehind * slot);
    const minutesUntil = Math.max(0, slotsUntil + minutesBehind * minute);
    return {
      ...{ foldedUntil, slotsUntil, minutesUntil, slotted },
      late: [...late, ...lateMinutes.map((minutes) => foldedUntil + minutes * minute)],
    };
  });
const spans = fc.constantFrom(
  ...[[...allSpans], [1], [1, 6, 24], [6, 24, 168], []],
  ...[[slotSpan, ...allSpans], [slotSpan], [slotSpan, 1]],
  ...[[minuteSpan, slotSpan, ...allSpans], [minuteSpan, slotSpan, 1], [minuteSpan]],
);

/** Hours at the edges have slots half of the time, as far as the state's other parts allow it. */
const asked = fc
  .record({ one: moment, other: moment, folds: state, slotted: fc.tuple(fc.boolean(), fc.boolean()) })
  .map(({ one, other, folds, slotted }) => {
    const range = { from: Math.min(one, other), end: Math.max(one, other) };
    const edges = edgesOf(range).filter((_, index) => slotted[index]);
    return { range, folds: { ...folds, slotted: [...new Set([...folds.slotted, ...edges])] } };
  });
const hourOf = (second: number): number => Math.floor(second / hour) * hour;

it('finds every moment of a range in exactly one place, and trusts only whole blocks that are folded and unchanged', () => {
  fc.assert(
    fc.property(asked, spans, ({ range, folds }, allowed) => {
      const { sums, source } = placesOf(range, allowed, folds);
      for (const { span, from, end } of sums) {
        expect(allowed).toContain(span);
        expect([from % lengthOf(span), end % lengthOf(span)]).toEqual([0, 0]);
        const isBehind = span === slotSpan && from >= folds.foldedUntil;
        if (span === minuteSpan) {
          expect(from).toBeGreaterThanOrEqual(Math.max(folds.foldedUntil, folds.slotsUntil));
          expect(end).toBeLessThanOrEqual(folds.minutesUntil);
        } else expect(end).toBeLessThanOrEqual(isBehind ? folds.slotsUntil : folds.foldedUntil);
        if (span === slotSpan && !isBehind) {
          const hours = Array.from(
            { length: (hourOf(end - 1) - hourOf(from)) / hour + 1 },
            (_, n) => hourOf(from) + n * hour,
          );
          expect(folds.slotted).toEqual(expect.arrayContaining(hours));
          expect(folds.late.filter((late) => hours.includes(hourOf(late)))).toEqual([]);
        }
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
        minutesUntil: 0,
        late: [],
        slotted: [],
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
    minutesUntil: 0,
    late: [],
    slotted: [],
  });
  expect(sums).toEqual([{ span: 168, from: 0, end: 1000 * 168 * hour }]);
  expect(source).toEqual([{ from: 1000 * 168 * hour, end }]);
});

it('reads the hours that are not folded from their slots, save the last and those that changed since', () => {
  const from = 168 * hour;
  const { sums, source } = placesOf({ from: 17, end: from + 1700 }, [slotSpan, ...allSpans], {
    foldedUntil: from,
    slotsUntil: from + 5 * slot,
    minutesUntil: 0,
    late: [from + 2 * slot, from + 9 * slot],
    slotted: [],
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

it('reads what is behind the slots from minutes, save the last and those that changed since', () => {
  const from = 168 * hour;
  const state = {
    ...{ foldedUntil: from, slotsUntil: from + slot, minutesUntil: from + slot + 5 * minute },
    ...{ late: [from + slot + 2 * minute, from + slot + 9 * minute], slotted: [] },
  };
  const range = { from: from + 17, end: from + slot + 5 * minute + 30 };
  expect(placesOf(range, [minuteSpan, slotSpan, ...allSpans], state)).toEqual({
    sums: [
      { span: minuteSpan, from: from + slot, end: from + slot + 2 * minute },
      { span: minuteSpan, from: from + slot + 3 * minute, end: from + slot + 5 * minute },
    ],
    source: [
      { from: from + 17, end: from + slot },
      { from: from + slot + 2 * minute, end: from + slot + 3 * minute },
      { from: from + slot + 5 * minute, end: range.end },
    ],
  });
  // A slot that is folded hides its minutes.
  expect(placesOf({ from, end: from + slot }, [minuteSpan, slotSpan], state).sums).toEqual([
    { span: slotSpan, from, end: from + slot },
  ]);
});

it('reads the edges of a range from the slots of their hours, and at most half a slot of rows for each', () => {
  const begin = 200 * hour;
  const edges = { from: begin + 700, end: begin + 5 * hour + 1000 };
  const state = { foldedUntil: begin + 20 * hour, slotsUntil: 0, minutesUntil: 0, late: [], slotted: edgesOf(edges) };
  const spans = [slotSpan, 1];
  const read = totalOf(edges, spans, state, 0).map(({ sign, ...part }) => ({ sign, ...placesOf(part, spans, state) }));
  expect(read).toEqual([
    {
      sign: '',
      sums: [
        { span: 1, from: begin, end: begin + 5 * hour },
        { span: slotSpan, from: begin + 5 * hour, end: begin + 5 * hour + 900 },
      ],
      source: [{ from: begin + 5 * hour + 900, end: begin + 5 * hour + 1000 }],
    },
    {
      sign: '-',
      sums: [{ span: slotSpan, from: begin, end: begin + 600 }],
      source: [{ from: begin + 600, end: begin + 700 }],
    },
  ]);
});

it('adds up to the range exactly, and reads at most half an hour of rows for an edge, half a slot where its hour has slots', () => {
  let [taken, fine] = [0, 0];
  fc.assert(
    fc.property(asked, spans, fc.oneof(fc.constant(0), moment), ({ range, folds }, allowed, since) => {
      const parts = totalOf(range, allowed, folds, since);
      const counted = (second: number): number =>
        parts.reduce((sum, { sign, from, end }) => sum + (second >= from && second < end ? Number(`${sign}1`) : 0), 0);
      for (const edge of parts.flatMap(({ from, end }) => [from, end]).concat(range.from, range.end)) {
        for (const second of [edge - 1, edge]) {
          expect(counted(second)).toBe(second >= range.from && second < range.end ? 1 : 0);
        }
      }
      for (const { from, end } of parts.filter((part) => part.from < range.from || part.end > range.end)) {
        expect(from).toBeGreaterThanOrEqual(Math.min(range.from, since));
        const outside = [
          { from, end: Math.min(end, range.from) },
          { from: Math.max(from, range.end), end },
        ].filter((part) => part.from < part.end);
        for (const { from: start, end: until } of outside) {
          taken += 1;
          expect(until - start).toBeLessThan(hour / 2 + slot / 2);
          expect(until).toBeLessThanOrEqual(Math.max(folds.foldedUntil, folds.slotsUntil));
        }
      }
      if (!allowed.includes(slotSpan) || !allowed.includes(1)) return;
      const rows = parts.flatMap((part) => placesOf(part, allowed, folds).source);
      for (const edge of edgesOf(range)) {
        if (!folds.slotted.includes(edge) || edge < since || edge + hour > folds.foldedUntil) continue;
        if (folds.late.some((late) => hourOf(late) === edge)) continue;
        fine += 1;
        const inHour = rows.filter(({ from, end }) => from < edge + hour && end > edge);
        for (const { from, end } of inHour) expect(end - from).toBeLessThanOrEqual(slot);
        expect(inHour.reduce((sum, { from, end }) => sum + end - from, 0)).toBeLessThanOrEqual(2 * slot);
      }
    }),
    { numRuns: 3000 },
  );
  expect(taken).toBeGreaterThan(100);
  expect(fine).toBeGreaterThan(100);
});
