import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChatStreamReader } from './chat-stream-reader.js';
import { nextPlainChunk } from './plain-chunk.js';

const recorded = join(import.meta.dirname, '../../../../../tests/recorded');
const families = ['openai', 'deepseek', 'groq', 'mistral', 'moonshot', 'xai'];
const chunksOf = (family: string): string[] =>
  readdirSync(join(recorded, family))
    .filter((name) => name.endsWith('.chunks.txt'))
    .flatMap((name) => readFileSync(join(recorded, family, name), 'utf8').split('\n'))
    .filter((line) => line.startsWith('{'));

interface Delta {
  readonly content?: unknown;
  readonly reasoning_content?: unknown;
}

it.each(families)('never says of a chunk of %s what parsing it would not say', (family) => {
  for (const chunk of chunksOf(family)) {
    const { end, said } = nextPlainChunk(Buffer.from(chunk).toString('latin1'), 0);
    if (end === Infinity) continue;
    const { choices } = JSON.parse(chunk) as { choices: Array<{ delta: Delta; finish_reason?: unknown }> };
    expect(choices).toHaveLength(1);
    const { role: _role, ...rest } = choices[0]?.delta as Record<string, unknown>;
    expect(Object.values(rest).filter((value) => value !== null)).toEqual([said]);
    expect(choices[0]?.finish_reason ?? null).toBeNull();
  }
});

it('finds most chunks of a usual answer', () => {
  const chunks = chunksOf('openai').filter((chunk) => chunk.includes('"delta"'));
  const found = chunks.filter((chunk) => nextPlainChunk(chunk, 0).end !== Infinity);
  expect(found.length / chunks.length).toBeGreaterThan(0.8);
});

it('reads what is beyond ASCII, and leaves what is escaped to a parser', () => {
  const chunk = (content: string, more = ''): string =>
    Buffer.from(
      `{"id":"a","choices":[{"index":0,"delta":{"content":${content}},"finish_reason":null}]${more}}`,
    ).toString('latin1');
  expect(nextPlainChunk(chunk('"Grüße 你好"'), 0).said).toBe('Grüße 你好');
  expect(nextPlainChunk(chunk('"one\\ntwo"'), 0).end).toBe(Infinity);
  expect(nextPlainChunk(chunk('""'), 0)).toMatchObject({ said: '' });
  expect(nextPlainChunk(chunk('null'), 0).end).toBe(Infinity);
  expect(nextPlainChunk(chunk('"a","tool_calls":[]'), 0).end).toBe(Infinity);
});

it.each(families)('a stream of %s reads the same with and without the short way', (family) => {
  const read = (chunks: string[]): unknown[] => {
    const reader = new ChatStreamReader();
    return chunks.flatMap((data) => reader.push({ type: '', data }));
  };
  const chunks = chunksOf(family);
  // A space does not change the JSON, but prevents the fast path.
  expect(read(chunks)).toEqual(read(chunks.map((chunk) => chunk.replace('{', '{ '))));
});
