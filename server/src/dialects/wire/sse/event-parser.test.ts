import { growth } from '../../../../../tests/support/growth.js';
import { EventBlocks } from './event-blocks.js';
import { EventParser } from './event-parser.js';
import type { ServerEvent } from './event.js';

/** Every feature of the format in one stream. */
const streamWith = (lineEnd: string): Buffer =>
  Buffer.from(
    [
      ': a comment',
      '',
      'event: message_start',
      'data: {"text":"Héllo — 你好"}',
      '',
      'data:no blank',
      'data:  two blanks',
      'data',
      'id: 7',
      '',
      '',
      'event: ping',
      '',
      'data: last',
      '',
      '',
    ].join(lineEnd),
  );

const expected: ServerEvent[] = [
  { type: 'message_start', data: '{"text":"Héllo — 你好"}' },
  { type: '', data: 'no blank\n two blanks\n' },
  { type: '', data: 'last' },
];

function parse(pieces: Buffer[]): ServerEvent[] {
  const parser = new EventParser();
  return [...pieces.flatMap((piece) => parser.push(piece)), ...parser.end()];
}

describe.each([
  ['\\n', '\n'],
  ['\\r\\n', '\r\n'],
  ['\\r', '\r'],
])('a stream with %s line ends', (_name, lineEnd) => {
  const bytes = streamWith(lineEnd);

  it('is the same wherever the network cuts the bytes', () => {
    for (let at = 0; at <= bytes.length; at++) {
      expect(parse([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected);
    }
  });

  it('is the same byte by byte', () => {
    expect(parse([...bytes].map((byte) => Buffer.from([byte])))).toEqual(expected);
  });
});

it('takes a last event that was not closed, and no empty rest', () => {
  expect(parse([Buffer.from('data: a\n\ndata: b')])).toEqual([
    { type: '', data: 'a' },
    { type: '', data: 'b' },
  ]);
  expect(parse([Buffer.from('data: a\n\n\n')])).toEqual([{ type: '', data: 'a' }]);
});

it('mixes line ends and drops a byte order mark', () => {
  expect(parse([Buffer.from('\uFEFFdata: a\r\n\ndata: b\n\r\ndata: c\r\n\r\n')]).map(({ data }) => data)).toEqual([
    'a',
    'b',
    'c',
  ]);
});

it('gives an event up that grows beyond the limit, however small the pieces', () => {
  const parser = new EventParser(1000);
  expect(() => {
    for (let piece = 0; piece < 300; piece++) parser.push(Buffer.from('data'));
  }).toThrow('too large');
});

it('hands whole events on without copying them', () => {
  const bytes = Buffer.from('data: a\n\ndata: b\n\n');
  expect(new EventBlocks().push(bytes)?.bytes).toBe(bytes);
});

it('takes time in proportion to the bytes it reads', async () => {
  // With larger pieces, the memory of their event would start collections of the whole heap of this process.
  const piece = Buffer.alloc(64, 'x');
  const readOneEvent = (pieces: number): void => {
    const blocks = new EventBlocks(64 * 1024 * 1024);
    for (let read = 0; read < pieces; read++) blocks.push(piece);
  };
  // Sixteen times the bytes: rescanning the whole event for every piece would take 256 times as long.
  expect(await growth(readOneEvent, 1024, 16 * 1024)).toBeLessThan(64);
});
