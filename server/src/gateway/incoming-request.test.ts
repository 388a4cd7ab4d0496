import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readRequestBody } from './incoming-request.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const incoming = (): IncomingMessage & PassThrough =>
  Object.assign(new PassThrough(), { headers: {}, complete: true }) as unknown as IncomingMessage & PassThrough;

/** Listeners of a request that is still being answered hold what they can reach. */
const listenersOf = (request: PassThrough): number =>
  ['data', 'end', 'error', 'close'].reduce((sum, name) => sum + request.listenerCount(name), 0);

it('lets go of the pieces that a body came in, while its request is still being answered', async () => {
  const request = incoming();
  const remembered: Array<WeakRef<Buffer>> = [];
  const send = (text: string): void => {
    const piece = Buffer.from(text);
    remembered.push(new WeakRef(piece));
    request.write(piece);
  };
  const reading = readRequestBody(request, 1000);
  send('one ');
  await delay(1);
  send('two');
  request.end();
  expect((await reading).toString()).toBe('one two');
  for (let round = 0; round < 3; round++) {
    await delay(5);
    collect();
  }
  expect(remembered.map((piece) => piece.deref())).toEqual([undefined, undefined]);
  expect(listenersOf(request)).toBe(0);
});

it('discards the rest of a body that is too large, and keeps no listener', async () => {
  const request = incoming();
  const reading = readRequestBody(request, 5);
  request.write('six by');
  await expect(reading).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  expect(listenersOf(request)).toBe(0);
  request.write('tes');
  await delay(1);
  expect(request.readableLength).toBe(0);
});

describe('the memory of pieces is freed before it is collected', () => {
  const kilobytes = (count: number): Buffer => Buffer.alloc(count * 1024, 'abc');
  /** Node 20 cannot free it. */
  const freed = 'transfer' in ArrayBuffer.prototype ? 0 : kilobytes(60).length;

  it.each([
    ['joined', 2, {}],
    ['gathered without a length', 12, {}],
    ['gathered in one buffer of the announced length', 12, { 'content-length': String(12 * 60 * 1024) }],
  ])('%s', async (_how, count, headers) => {
    const request = Object.assign(incoming(), { headers });
    const pieces = Array.from({ length: count }, () => kilobytes(60));
    const whole = Buffer.concat(pieces);
    const reading = readRequestBody(request, 1024 * 1024);
    for (const piece of pieces) request.write(piece);
    request.end();
    expect((await reading).equals(whole)).toBe(true);
    expect(pieces.map(({ byteLength }) => byteLength)).toEqual(pieces.map(() => freed));
  });

  it.each([
    ['is too large', (request: PassThrough) => void request.write(kilobytes(600)), 'PAYLOAD_TOO_LARGE'],
    ['is not complete', (request: PassThrough) => void request.destroy(new Error('reset')), 'INVALID_INPUT'],
  ])('of a body that %s', async (_what, end, code) => {
    for (const count of [1, 9]) {
      const request = Object.assign(incoming(), { complete: false });
      const pieces = Array.from({ length: count }, () => kilobytes(60));
      const reading = readRequestBody(request, 600 * 1024);
      for (const piece of pieces) request.write(piece);
      await delay(1);
      end(request);
      await expect(reading).rejects.toMatchObject({ code });
      // A request that ends early reports the error and its end.
      await delay(1);
      expect(pieces.map(({ byteLength }) => byteLength)).toEqual(pieces.map(() => freed));
    }
  });

  it('but never that of a body in one piece, or of a buffer with other parts', async () => {
    const request = incoming();
    const reading = readRequestBody(request, 1024 * 1024);
    request.end(kilobytes(60));
    expect(await reading).toHaveLength(60 * 1024);

    const shared = kilobytes(120);
    const parts = incoming();
    const both = readRequestBody(parts, 1024 * 1024);
    parts.write(shared.subarray(0, 60 * 1024));
    parts.end(shared.subarray(60 * 1024));
    expect((await both).equals(shared)).toBe(true);
  });
});
