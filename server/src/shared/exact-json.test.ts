import fc from 'fast-check';
import { hasLongNumbers, parseArguments, parseExact, writeJson } from './exact-json.js';

const id = '1318304912345678901';

it.each([
  [`{"a":${id}}`, true],
  [`[1, -${id}]`, true],
  ['{"a":123456789012345}', false],
  ['{"a":"id_1318304912345678901"}', false],
])('looks for numbers that JavaScript may not hold: %s', (text, found) => {
  expect(hasLongNumbers(text)).toBe(found);
});

it.each([
  `{"args":{"id":${id}}}`,
  `{"input":{"list":[-${id},1,"${id}","a\\"${id}"],"deep":{"id":${id}}}}`,
  `{"args":{"id":9007199254740992}}`,
  `{"args":{"${id}":${id},"__proto__":{"id":${id}}}}`,
])('writes what it read: %s', (text) => {
  expect(writeJson(parseExact(text))).toBe(text);
  expect(writeJson(parseArguments(text))).toBe(text);
});

it.each(['1318304912345678901.5', '0.12345678901234567890', '1.318304912345678901e18', '1318304912345678901E2', '-0'])(
  'leaves %s a double',
  (number) => {
    expect(parseArguments(`{"a":${number}}`)).toEqual({ a: Number(number) });
  },
);

it('leaves a number of a million digits a double, without counting them', () => {
  const digits = '9'.repeat(1_000_000);
  expect(parseArguments(`{"a":${digits}}`)).toEqual({ a: Infinity });
  expect(parseArguments(`{"a":${digits.slice(0, 40)}}`)).toEqual({ a: BigInt(digits.slice(0, 40)) });
});

it('rounds outside of the arguments and results of tools, where code expects numbers', () => {
  const text = `{"seed":${id},"input":[${id}],"args":{"seed":${id}}}`;
  expect(parseExact(text)).toEqual({ seed: Number(id), input: [Number(id)], args: { seed: BigInt(id) } });
});

it('is rounded by JSON.stringify, which would throw otherwise', () => {
  expect(JSON.stringify(parseArguments(`{"a":${id}}`))).toBe('{"a":1318304912345678800}');
});

it('is exact beside another copy of the module, as tests with mocks have', async () => {
  jest.resetModules();
  const other = await import('./exact-json.js');
  expect(other.parseArguments).not.toBe(parseArguments);
  for (const { writeJson: write } of [{ writeJson }, other]) {
    expect(write(parseArguments(`{"a":${id}}`))).toBe(`{"a":${id}}`);
  }
});

it.each(['', '{', `{"a":${id}`, `{"a":0${id}}`, `{"a":${id}x}`, `{${id}:1}`])('refuses %s', (text) => {
  expect(parseExact(text)).toBeUndefined();
  expect(parseArguments(text)).toBeUndefined();
});

it('means the same as JSON.parse and JSON.stringify for everything else', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom('', '  '), (value, space) => {
      const text = JSON.stringify(value, null, space);
      expect(JSON.stringify(parseExact(text))).toBe(JSON.stringify(value));
      expect(writeJson(value)).toBe(JSON.stringify(value));
    }),
  );
});

it('keeps every integer of an object', () => {
  const integers = fc.dictionary(
    fc.string(),
    fc.oneof(
      fc.bigInt({ min: -(2n ** 128n), max: 2n ** 128n }).map(String),
      fc.string().map((text) => JSON.stringify(text)),
    ),
  );
  fc.assert(
    fc.property(integers, (fields) => {
      const text = `{${Object.entries(fields)
        .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
        .join(',')}}`;
      const names = Object.keys(JSON.parse(text) as object);
      const same = `{${names.map((name) => `${JSON.stringify(name)}:${String(fields[name])}`).join(',')}}`;
      expect(writeJson(parseArguments(text))).toBe(same);
    }),
  );
});
