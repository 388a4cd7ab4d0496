import { growth } from '../../../../tests/support/growth.js';
import { LineFrames } from './line-frames.js';

const bytes = Buffer.from('{"text":"Héllo"}\n\n{"text":"你好"}\r\ndata: {"done":false}\n: a comment\n{"done":true}');
const expected = ['{"text":"Héllo"}', '{"text":"你好"}', '{"done":false}', '{"done":true}'];

function parse(pieces: Buffer[]): string[] {
  const frames = new LineFrames();
  return [...pieces.flatMap((piece) => frames.push(piece)), ...frames.end()].map(({ data }) => data);
}

it('reads the same lines wherever the network cuts the bytes', () => {
  for (let at = 0; at <= bytes.length; at++) {
    expect(parse([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected);
  }
  expect(parse([...bytes].map((byte) => Buffer.from([byte])))).toEqual(expected);
});

it('gives a line up that grows beyond the limit', () => {
  const frames = new LineFrames();
  const piece = Buffer.alloc(64 * 1024, 'x');
  expect(() => {
    for (let read = 0; read < 160; read++) frames.push(piece);
  }).toThrow('too large');
});

it('takes time in proportion to the bytes of a long line in small pieces', async () => {
  const piece = Buffer.alloc(128, 'x');
  const readOneLine = (pieces: number): void => {
    const frames = new LineFrames();
    for (let read = 0; read < pieces; read++) frames.push(piece);
  };
  // Sixteen times the bytes: copying the whole line again and again would take 256 times as long.
  expect(await growth(readOneLine, 4 * 1024, 64 * 1024)).toBeLessThan(64);
});
