import fc from 'fast-check';
import pg from 'pg';
import { storableJson, storableText } from './json.js';

const awkward = fc.string({ unit: fc.constantFrom('\0', '\\', 'u0000', '\ud800', '\udfff', '😀', '"', 'ä', 'x') });

it('leaves alone what Postgres can hold', () => {
  expect(storableText('Zeichen “ü” 😀 \\u0000')).toBe('Zeichen “ü” 😀 \\u0000');
  expect(storableJson({ a: ['\\u0000', '\\\\ud800', '😀'] })).toBe(
    JSON.stringify({ a: ['\\u0000', '\\\\ud800', '😀'] }),
  );
});

it('takes out NUL and halves of pairs, in names too', () => {
  expect(storableText('a\0b\ud800c')).toBe('ab\ufffdc');
  expect(JSON.parse(storableJson({ 'na\0me': { list: ['x\0', 1, null] } }))).toEqual({
    name: { list: ['x', 1, null] },
  });
});

it('is taken by Postgres whatever it holds, and comes back', async () => {
  const client = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL });
  await client.connect();
  try {
    await fc.assert(
      fc.asyncProperty(awkward, awkward, async (name, text) => {
        const json = storableJson({ [name]: text, deep: [{ text }] });
        const found = await client.query<{ deep: string; size: number }>(
          `SELECT $1::json #>> '{deep,0,text}' AS deep, length($1::jsonb::text) AS size`,
          [json],
        );
        expect(found.rows[0]?.deep).toBe(storableText(text));
      }),
      { numRuns: 200 },
    );
  } finally {
    await client.end();
  }
});
