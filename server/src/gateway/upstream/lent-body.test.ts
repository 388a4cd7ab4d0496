import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { hold, letGo } from '../../shared/held-bytes.js';
import { OutboundGuard } from '../../platform/outbound/outbound-guard.js';
import { Pools, UpstreamClient } from './upstream-client.js';

/** A body of which each part is different, larger than what the buffers of a connection take. */
const length = 12 * 1024 * 1024;
const bodyOf = (): Buffer => {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let at = 0; at < length; at += 4) bytes.writeUInt32LE(at, at);
  return bytes;
};
const canFree = 'transfer' in ArrayBuffer.prototype;

let server: Server;
let pools: Pools;
beforeEach(() => {
  server = createServer();
  pools = new Pools(new OutboundGuard());
});
afterEach(async () => {
  await pools.close();
  server.close();
});

/** Sends a body whose call ends with the response, and uses the freed memory again. */
async function sendTo(onConnection: (socket: Socket) => void): Promise<{ body: Buffer; status: number }> {
  server.on('connection', onConnection);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const body = bodyOf();
  hold(body);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions`;
  const request = { method: 'POST', url, headers: { 'content-type': 'application/json' }, body } as const;
  const exchange = new UpstreamClient(pools).send(request, { firstByte: 10_000, idle: 10_000 });
  await exchange.answer;
  await exchange.collect(1000);
  letGo(body);
  for (let count = 0; count < 8; count++) Buffer.allocUnsafeSlow(length).fill(0xff);
  return { body, status: exchange.status };
}

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';
/** Returns the body of a received request. */
const behindHead = (received: Buffer): Buffer => received.subarray(received.indexOf('\r\n\r\n') + 4);

it('is sent with its length, whole, and freed when its call has ended', async () => {
  const pieces: Buffer[] = [];
  const { body, status } = await sendTo((socket) => {
    let left = -1;
    socket.on('data', (piece) => {
      pieces.push(piece);
      if (left < 0) left = length + pieces[0]!.indexOf('\r\n\r\n') + 4;
      left -= piece.length;
      if (left === 0) socket.write(ok);
    });
  });
  const received = Buffer.concat(pieces);
  const head = received.toString('latin1', 0, received.indexOf('\r\n\r\n')).toLowerCase();
  expect(head.match(/content-length: (\d+)/g)).toEqual([`content-length: ${length}`]);
  expect(head).not.toContain('transfer-encoding');
  expect(behindHead(received).equals(bodyOf())).toBe(true);
  expect([status, body.length]).toEqual([200, canFree ? 0 : length]);
});

it('stays as it is for a provider that responds first and reads later', async () => {
  const pieces: Buffer[] = [];
  let closed: Promise<unknown> = Promise.resolve();
  const { status } = await sendTo((socket) => {
    socket.pause();
    socket.write(ok);
    socket.on('error', () => undefined);
    closed = once(socket, 'close');
    setTimeout(() => socket.on('data', (piece) => pieces.push(piece)).resume(), 300);
  });
  await closed;
  const bytes = behindHead(Buffer.concat(pieces));
  expect(status).toBe(200);
  expect(bytes.length).toBeGreaterThan(0);
  expect(bytes.equals(bodyOf().subarray(0, bytes.length))).toBe(true);
});
