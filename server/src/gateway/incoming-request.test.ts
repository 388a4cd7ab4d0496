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
