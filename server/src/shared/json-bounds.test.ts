import fc from 'fast-check';
import { assertJsonBounds, endOfString } from './json.js';

const passes = (text: string, maxDepth: number, maxValues: number): boolean => {
  try {
    assertJsonBounds(Buffer.from(text), { maxDepth, maxValues });
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_INPUT' });
    return false;
  }
};

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
/** Number of containers plus the commas between their members. */
const valuesOf = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  const members = Object.values(value);
  return 1 + Math.max(0, members.length - 1) + members.reduce<number>((sum, member) => sum + valuesOf(member), 0);
};

it('counts depth and values exactly, whatever stands in strings', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      const depth = depthOf(JSON.parse(text));
      const values = valuesOf(JSON.parse(text));
      expect(passes(text, depth, values)).toBe(true);
      if (depth > 0) expect(passes(text, depth - 1, values)).toBe(false);
      if (values > 0) expect(passes(text, depth, values - 1)).toBe(false);
    }),
  );
});

it.each([
  ['brackets in strings do not count', '["[[[[{{{{,,,,"]', 1, 1, true],
  ['an escaped quote does not end a string', '["\\"[[[["]', 1, 1, true],
  ['an escaped backslash does', '["\\\\",[[]]]', 2, 9, false],
  ['an open string reaches to the end', '["[[[[', 1, 1, true],
  ['closing brackets that nothing opened do not make room', ']]]][[', 1, 9, true],
])('%s', (_name, text, depth, values, allowed) => {
  expect(passes(text, depth, values)).toBe(allowed);
});

it('finds the end of a string, whatever is escaped in it', () => {
  const text = fc.string({ unit: fc.constantFrom('"', '\\', 'letters and blanks', 'x', '\n', '漢'), maxLength: 40 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const literal = JSON.stringify(before);
      const close = Buffer.byteLength(literal) - 1;
      expect(endOfString(Buffer.from(`${literal},${JSON.stringify(after)}`), 0)).toBe(close);
      expect(endOfString(Buffer.from(literal).subarray(0, close), 0)).toBe(close);
    }),
    { numRuns: 2000 },
  );
});

it('reads each byte of many escaped quotes once', () => {
  // A search that scanned back over all backslashes at every quote would need minutes for this.
  expect(passes(`["${'\\"'.repeat(2_000_000)}"]`, 1, 1)).toBe(true);
});

it.each([
  ['{"maximum":9007199254740991}', false],
  ['{"a":                    1}', false],
  ['{"a":0.12345678901234567}', false],
  ['{"a":9007199254740993}', true],
  ['[1, -1318304912345678901]', true],
])('says whether an integer may be too long for a double: %s', (text, expected) => {
  const { longValues } = assertJsonBounds(Buffer.from(text), { maxDepth: 9, maxValues: 9 });
  expect(longValues).toBe(expected);
});
