import { unzstd } from './zstd.js';

/* The frames are written by hand, because no supported Node version can compress this format. */

const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const windowOf = (exponent: number): Buffer => Buffer.from([0x00, (exponent - 10) << 3]);
const block = (type: number, size: number, isLast: boolean, content: Buffer): Buffer => {
  const header = Buffer.alloc(3);
  header.writeUIntLE((size << 3) | (type << 1) | (isLast ? 1 : 0), 0, 3);
  return Buffer.concat([header, content]);
};
const raw = (text: string, isLast = true): Buffer => block(0, text.length, isLast, Buffer.from(text));
const run = (size: number, isLast = true): Buffer => block(1, size, isLast, Buffer.from('x'));
/** `echo -n 'Hello hello hello hello hello hello' | zstd` */
const packed = Buffer.from('KLUv/QRYbQAAOEhlbGxvIGgBAGGKEfD6grc=', 'base64');

async function unpacked(...parts: Buffer[]): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of unzstd(Buffer.concat(parts))) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

it('unpacks plain, repeated and packed blocks, and frames behind one another', async () => {
  expect(await unpacked(head, windowOf(20), raw('abc', false), run(4))).toBe('abcxxxx');
  const skipped = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9]);
  expect(await unpacked(head, windowOf(20), raw('abc'), skipped, head, windowOf(20), raw('def'))).toBe('abcdef');
});

it('unpacks what a real encoder wrote', async () => {
  expect(await unpacked(packed)).toBe('Hello hello hello hello hello hello');
});

it.each([
  ['a window of 2 GiB', [head, windowOf(31), raw('a')]],
  ['a second frame with such a window', [head, windowOf(20), raw('a'), head, windowOf(31), raw('a')]],
  [
    'more blocks than its window allows',
    [head, windowOf(23), ...Array.from({ length: 300 }, () => run(1, false)), run(1)],
  ],
  ['a cut', [head, windowOf(20), raw('abc').subarray(0, 5)]],
  ['a cut header', [head]],
  ['another format', [Buffer.from('{"model":"gpt-4o"}')]],
  ['a dictionary', [head, Buffer.from([0x01, 0x50, 7]), raw('a')]],
])('refuses %s', async (_name, parts) => {
  await expect(unpacked(...parts)).rejects.toThrow();
});
