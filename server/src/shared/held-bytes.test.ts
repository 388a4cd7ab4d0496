import { hold, lent, letGo, share } from './held-bytes.js';

const canFree = 'transfer' in ArrayBuffer.prototype;
const bytesOf = (length: number): Buffer => Buffer.allocUnsafeSlow(length).fill(1);

it('frees a buffer with the last that holds it', () => {
  const bytes = bytesOf(64 * 1024);
  hold(bytes);
  share(bytes);
  letGo(bytes);
  expect(bytes).toHaveLength(64 * 1024);
  letGo(bytes);
  expect(bytes).toHaveLength(canFree ? 0 : 64 * 1024);
});

it.each([
  ['that was never held', 64 * 1024],
  ['that a socket may have taken without a word', 64 * 1024 - 1],
])('leaves a buffer alone %s', (_what, length) => {
  const bytes = bytesOf(length);
  if (length < 64 * 1024) hold(bytes);
  share(bytes);
  letGo(bytes);
  expect(bytes).toHaveLength(length);
  expect(lent(bytes)).toBe(bytes);
});

it('leaves a part of a buffer alone', () => {
  const part = bytesOf(128 * 1024).subarray(1);
  hold(part);
  letGo(part);
  expect(part).toHaveLength(128 * 1024 - 1);
});

it('holds a lent buffer until the next piece is asked for', () => {
  const bytes = bytesOf(64 * 1024);
  hold(bytes);
  const pieces = (lent(bytes) as Iterable<Buffer>)[Symbol.iterator]();
  letGo(bytes);
  expect(pieces.next().value).toBe(bytes);
  expect(bytes).toHaveLength(64 * 1024);
  expect(pieces.next().done).toBe(true);
  expect(bytes).toHaveLength(canFree ? 0 : 64 * 1024);
});

it('leaves a lent buffer to V8 when its sending was broken off', () => {
  const bytes = bytesOf(64 * 1024);
  hold(bytes);
  const pieces = (lent(bytes) as Iterable<Buffer>)[Symbol.iterator]();
  pieces.next();
  pieces.return?.();
  letGo(bytes);
  expect(bytes).toHaveLength(64 * 1024);
});
