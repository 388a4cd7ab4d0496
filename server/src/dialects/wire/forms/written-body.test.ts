import fc from 'fast-check';
import { writeJson } from '../../../shared/exact-json.js';
import { writeBody } from './written-body.js';

/** A conversation of so many turns, each with these values. */
const conversation = (name: string, turns: number, value: unknown): Record<string, unknown> => ({
  model: 'm',
  none: undefined,
  [name]: Array.from({ length: turns }, (_, turn) => ({ role: 'user', turn, value, none: undefined })),
  tools: [{ value }],
  stream: true,
});

it.each(['messages', 'input', 'contents'])('writes %s of any length like writeJson', (name) => {
  for (const turns of [0, 1, 15, 16, 400, 20_001]) {
    const body = conversation(name, turns, 'said "before"\n');
    for (let round = 0; round < 4; round++) expect(writeBody(body).toString()).toBe(writeJson(body));
  }
});

it('writes values of any kind like writeJson, each time', () => {
  const values = fc.tuple(fc.jsonValue(), fc.bigInt(), fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(values, ([value, id, text]) => {
      const body = conversation('messages', 20, { value, args: { id }, list: [undefined, [], {}], text });
      const mixed = { ...body, list: [undefined, null, 1, text, value, id], empty: [], own: { id } };
      for (let round = 0; round < 4; round++) expect(writeBody(mixed).equals(Buffer.from(writeJson(mixed)))).toBe(true);
    }),
  );
});

it('writes the turns of a conversation no more than twice', () => {
  const body = conversation('messages', 96, 'said "before"\n'.repeat(100));
  const turns = body['messages'] as unknown[];
  const written = (): number => {
    const stringify = jest.spyOn(JSON, 'stringify');
    writeBody({ ...body, messages: [...turns, { role: 'user', content: 'new' }] });
    const count = stringify.mock.calls.filter(([value]) => turns.includes(value)).length;
    stringify.mockRestore();
    return count;
  };
  expect([written(), written(), written()]).toEqual([96, 96, 0]);
});
