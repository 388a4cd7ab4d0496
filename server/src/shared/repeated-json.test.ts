import fc from 'fast-check';
import { writeJson } from './exact-json.js';
import { writeRepeated } from './repeated-json.js';

/** A conversation of so many turns, each with these values. */
const conversation = (turns: number, value: unknown): Record<string, unknown> => ({
  model: 'm',
  messages: Array.from({ length: turns }, (_, turn) => ({ role: 'user', turn, value, none: undefined })),
});

/** JSON of random values beside long texts, which are made of few letters so that they repeat. */
const values = fc.tuple(
  fc.jsonValue(),
  fc.bigInt(),
  fc.stringMatching(/^["\\\n\u2028aé😀]{1,5}$/u).map((letters) => letters.repeat(400)),
);

it('a body is written as by writeJson, once more as well', () => {
  fc.assert(
    fc.property(values, ([value, id, text]) => {
      const body = conversation(3, { value, args: { id }, list: [undefined, [], {}], text });
      for (let round = 0; round < 2; round++) expect(writeRepeated(body).toString()).toBe(writeJson(body));
    }),
  );
});

it.each([
  ['ASCII', 'x'.repeat(50_000)],
  ['with signs of four bytes at every cut', `x${'😀'.repeat(40_000)}`],
  ['with half a pair', `${'x'.repeat(20_000)}\ud83d`],
])('a text of several pieces is read as the same text: %s', (_what, text) => {
  const body = conversation(20, text);
  for (let round = 0; round < 2; round++) expect(JSON.parse(writeRepeated(body).toString())).toEqual(parsed(body));
});

const parsed = (body: unknown): unknown => JSON.parse(writeJson(body));

it('a change of one text is written', () => {
  const text = 'same '.repeat(500);
  const turns = Array.from({ length: 30 }, () => ({ role: 'user', content: text }));
  writeRepeated({ messages: turns });
  const changed = { contents: [...turns, { role: 'user', content: `${text.slice(0, -1)}!` }] };
  expect(writeRepeated(changed).toString()).toBe(writeJson(changed));
});

it.each([
  ['many values', { contents: Array.from({ length: 30_000 }, (_, turn) => ({ turn })) }],
  ['many new texts', { input: Array.from({ length: 2000 }, (_, turn) => `${turn} "new"`.padEnd(3000, ' words')) }],
])('a body of %s is written as by writeJson', (_what, body) => {
  for (let round = 0; round < 2; round++) expect(writeRepeated(body).equals(Buffer.from(writeJson(body)))).toBe(true);
});

describe('texts that were written before', () => {
  const texts = Array.from({ length: 100 }, (_, turn) => `${turn} "quoted"\n`.repeat(400));
  const body = { input: texts.map((text) => ({ type: 'function_call_output', output: text })) };
  /** Returns how many long texts are written. */
  const written = (value: unknown): number => {
    const stringify = jest.spyOn(JSON, 'stringify');
    writeRepeated(value);
    const count = stringify.mock.calls.filter(([text]) => typeof text === 'string' && text.length > 1024).length;
    stringify.mockRestore();
    return count;
  };

  it('are not written again, even after one body of many new texts', () => {
    expect(written(body)).toBe(100);
    expect(written(body)).toBe(0);
    written({ input: Array.from({ length: 4000 }, (_, turn) => `${turn} "other"`.padEnd(15_000, ' words')) });
    expect(written(body)).toBe(0);
  });
});
