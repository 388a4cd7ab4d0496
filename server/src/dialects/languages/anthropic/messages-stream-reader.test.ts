import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MessagesStreamReader } from './messages-stream-reader.js';

const folder = join(import.meta.dirname, '../../../../../tests/recorded/anthropic');
const recordings = readdirSync(folder).filter((name) => name.endsWith('.chunks.txt'));

const read = (lines: string[]): unknown[] => {
  const reader = new MessagesStreamReader();
  return lines.flatMap((data) => reader.push({ type: '', data }));
};

it.each(recordings)('%s reads the same with and without the short way for plain text', (name) => {
  const lines = readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean);
  // A space does not change the JSON, but prevents the fast path.
  expect(read(lines)).toEqual(read(lines.map((line) => line.replace('{', '{ '))));
});

it('leaves what is escaped to a parser', () => {
  const delta = (text: string): string =>
    `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":${text}}}`;
  expect(read([delta('"one\\ntwo \\u00e9"')])).toEqual([{ kind: 'text', choice: 0, text: 'one\ntwo é' }]);
  expect(read([delta('"plain"')])).toEqual([{ kind: 'text', choice: 0, text: 'plain' }]);
  expect(read([delta('""')])).toEqual([]);
});
