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
