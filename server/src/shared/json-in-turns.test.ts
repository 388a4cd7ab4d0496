import fc from 'fast-check';
import { slicesDuring } from '../../../tests/support/growth.js';
import { writeJson } from './exact-json.js';
import { jsonInTurns } from './json-in-turns.js';

it('writes what writing at once does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.bigInt(), async (value, large) => {
      const body = { value, args: { id: large }, none: undefined, list: [[], {}] };
      expect((await jsonInTurns(body)).toString()).toBe(writeJson(body));
    }),
  );
});

it('keeps the letters of a long text that ends a piece', async () => {
  const body = { text: `${'x'.repeat(64 * 1024 - 1)}😀"\n${'é'.repeat(200_000)}` };
  expect(JSON.parse((await jsonInTurns(body)).toString())).toEqual(body);
});

it.each([
  ['long texts', { messages: Array.from({ length: 10 }, () => 'x'.repeat(1024 * 1024)) }],
  ['many texts', { input: Array.from({ length: 400_000 }, () => 'some text of a client') }],
])('lets other calls go on while it writes %s', async (_, body) => {
  expect(await slicesDuring(() => jsonInTurns(body))).toBeGreaterThan(20);
});
