import fc from 'fast-check';
import { areShared, ofEachPart, partsOf as partsIn, shareTurns } from './turns.js';

/** Returns each part as a list that bodies share. */
const partsOf = ofEachPart((turns) => turns);

const turnsUpTo = (count: number): object[] => Array.from({ length: count }, (_, index) => ({ index }));

/** Returns a list that begins with so many turns of another one and has others behind them. */
function continued(known: readonly unknown[], count: number, added: readonly unknown[]): unknown[] {
  const turns = [...known.slice(0, count), ...added];
  shareTurns(turns, { parts: partsIn(known), count });
  return turns;
}

it('computes a value once for the turns that bodies share', () => {
  const computed: unknown[] = [];
  const indexes = ofEachPart((turns, from) => turns.map((turn, at) => (computed.push(turn), from + at)));
  const first = turnsUpTo(37);
  shareTurns(first);
  expect(indexes(first).flat()).toEqual(first.map((_, index) => index));
  computed.length = 0;
  const added = turnsUpTo(2);
  const second = continued(first, 36, added);
  expect(indexes(second).flat()).toEqual(second.map((_, index) => index));
  expect(computed).toEqual(added);
});

it('computes a list that is not shared as a whole, each time', () => {
  const count = ofEachPart((turns) => ({ length: turns.length }));
  const turns = turnsUpTo(40);
  expect(areShared(turns)).toBe(false);
  expect(count(turns)).toEqual([{ length: 40 }]);
  expect(count(turns)[0]).not.toBe(count(turns)[0]);
  expect(partsOf(turns)).toEqual([turns]);
});

it('keeps nothing of turns that a later body leaves out', () => {
  const first = turnsUpTo(40);
  shareTurns(first);
  const second = continued(first, 20, []);
  const kept = partsOf(second).filter((part) => partsOf(first).includes(part));
  expect(kept.flat()).toEqual(first.slice(0, 16));
});

it('has the turns of each body, in order, whatever the bodies before were', () => {
  const steps = fc.array(fc.tuple(fc.nat(100), fc.nat(40)), { minLength: 1, maxLength: 12 });
  const sums = ofEachPart((turns, from) => turns.map((turn, at) => ({ turn, index: from + at })));
  fc.assert(
    fc.property(steps, (given) => {
      let known: unknown[] = [];
      shareTurns(known);
      for (const [share, length] of given) {
        const count = Math.floor((share * known.length) / 100);
        known = continued(known, count, turnsUpTo(length));
        expect(partsOf(known).flat()).toEqual(known);
        expect(sums(known).flat()).toEqual(known.map((turn, index) => ({ turn, index })));
        expect(
          sums(known)
            .flat()
            .every(({ turn }, index) => turn === known[index]),
        ).toBe(true);
        expect(partsOf(known).length).toBeLessThanOrEqual(known.length / 16 + 16);
      }
    }),
  );
});

it.each([null, 0, false])('computes %s once, too', (value) => {
  let calls = 0;
  const turns = turnsUpTo(20);
  shareTurns(turns);
  for (const isFact of [() => true, () => false]) {
    const valueOf = ofEachPart(() => (calls++, value), isFact);
    calls = 0;
    expect([valueOf(turns), valueOf(turns)]).toEqual([Array(5).fill(value), Array(5).fill(value)]);
    expect(calls).toBe(5);
  }
});
