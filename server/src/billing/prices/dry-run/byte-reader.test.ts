import fc from 'fast-check';
import { ByteReader, memberTable } from './byte-reader.js';

const members = memberTable({ a: true, list: true, tier: true, inner: { b: true, lines: true } });
const reader = new ByteReader();

function read(text: string): unknown {
  reader.open(Buffer.from(text));
  return reader.members(members);
}

/** Reads the members with `JSON.parse`. */
function parsed(text: string): Record<string, unknown> {
  const { a, list, tier, inner } = JSON.parse(text) as Record<string, unknown>;
  const { b, lines } = (inner ?? {}) as Record<string, unknown>;
  return JSON.parse(
    JSON.stringify({ a, list, tier, ...(inner === undefined ? {} : { inner: { b, lines } }) }),
  ) as Record<string, unknown>;
}

const line = fc.tuple(
  fc.constantFrom('input', 'output'),
  fc.nat(),
  fc.nat().map((thousandths) => thousandths / 1000),
);
const details = fc.record(
  {
    a: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
    list: fc.array(line, { maxLength: 4 }),
    tier: fc.oneof(fc.string(), fc.string({ unit: 'grapheme' })),
    inner: fc.record({ b: fc.integer(), lines: fc.array(line, { maxLength: 3 }), c: fc.nat() }, { requiredKeys: [] }),
    other: fc.jsonValue({ maxDepth: 2 }),
    admin: fc.dictionary(fc.string(), fc.nat(), { maxKeys: 2 }),
  },
  { requiredKeys: [] },
);

it('reads what JSON.parse reads, or leaves the text to it', () => {
  let left = 0;
  let runs = 0;
  fc.assert(
    fc.property(details, fc.constantFrom(0, 1), (value, indent) => {
      // jsonb writes a space after each colon and comma.
      const text = indent ? JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ') : JSON.stringify(value);
      const found = read(text);
      runs += 1;
      if (found === null) left += 1;
      else expect(found).toEqual(parsed(text));
    }),
    { numRuns: 2000 },
  );
  expect(left).toBeLessThan(runs / 2);
});

it.each([
  ['{}', {}],
  [' { "a" : -12.5 , "tier":"flex" } ', { a: -12.5, tier: 'flex' }],
  ['{"a":1,"a":2}', { a: 2 }],
  ['{"a":0.1,"list":[0.00123456789012,-0,[]]}', { a: 0.1, list: [0.00123456789012, -0, []] }],
  ['{"aa":"\\"}","x":{"a":[1,{"b":"]"}]},"a":true}', { a: true }],
  ['{"inner":{"c":{"b":1},"b":7,"lines":[["input",1,2.5]]}}', { inner: { b: 7, lines: [['input', 1, 2.5]] } }],
  ['{"__proto__":{"a":1},"constructor":1}', {}],
])('reads %s', (text, expected) => {
  expect(read(text)).toEqual(expected);
});

it.each([
  ...['', 'not JSON', '[]', 'null', '{', '{"a"', '{"a":1', '{"a":1}}', '{"a":1,}', '{"a" 1}', '{a:1}', '{"a":}'],
  ...['{"a":01}', '{"a":1.}', '{"a":-}', '{"a":.5}', '{"a":1e3}', '{"a":12345678901234567890}', '{"a":tru}'],
  ...['{"tier":"x\\n"}', '{"tier":"open}', '{"a":{}}', '{"inner":1}', '{"list":[1,]}', '{"list":[1}', '{"x":"open}'],
  `{"list":${'['.repeat(100)}${']'.repeat(100)}}`,
])('leaves %s to JSON.parse', (text) => {
  expect(read(text)).toBeNull();
});

it('distinguishes texts of the same hash', () => {
  // 'Aa' and 'BB' have the same hash: 65 x 31 + 97 = 66 x 31 + 66.
  expect(read('{"list":["Aa","BB","Aa"]}')).toEqual({ list: ['Aa', 'BB', 'Aa'] });
  expect(read('{"b":3,"inner":{"b":4}}')).toEqual({ inner: { b: 4 } });
});

it('reads columns of numbers and texts', () => {
  reader.open(Buffer.from('12\t-7\tgpt-4o 模型\t\t0\t{"a":1}'));
  expect([reader.integerColumn(), reader.integerColumn(), reader.textColumn(), reader.textColumn()]).toEqual([
    ...[12, -7, 'gpt-4o 模型', ''],
  ]);
  expect([reader.integerColumn(), reader.members(members)]).toEqual([0, { a: 1 }]);
});
