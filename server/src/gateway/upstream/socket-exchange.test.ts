import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { OutboundGuard } from '../../platform/outbound/outbound-guard.js';
import type { SocketCall, UpstreamRequest } from '../../dialects/contract.js';
import { Pools, UpstreamClient } from './upstream-client.js';

type Script = (socket: Duplex, firstMessage: string) => void;

/** Returns a server's text message: one unmasked frame. */
function message(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x81, bytes.length]), bytes]);
}

const closeFrame = Buffer.from([0x88, 0]);

/** Returns a client's small text message, whose bytes are masked. */
function unmasked(frame: Buffer): string {
  const mask = frame.subarray(2, 6);
  const length = (frame[1] ?? 0) & 0x7f;
  return Buffer.from(frame.subarray(6, 6 + length).map((byte, index) => byte ^ (mask[index % 4] ?? 0))).toString(
    'utf8',
  );
}

let server: Server;
let script: Script;
let sockets: Duplex[];
let pools: Pools;

beforeEach(async () => {
  sockets = [];
  server = createServer((_request, response) => response.writeHead(403).end('no'));
  server.on('upgrade', (request, socket: Duplex) => {
    sockets.push(socket);
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    socket.once('data', (frame: Buffer) => script(socket, unmasked(frame)));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  pools = new Pools(new OutboundGuard());
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await pools.close();
  await new Promise((resolve) => server.close(resolve));
});

function send(form: SocketCall['form'], timeouts = { firstByte: 5000, idle: 5000 }) {
  const request: UpstreamRequest = {
    method: 'GET',
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v3.5/chat?authorization=x`,
    headers: {},
    body: '{"ask":1}',
    socket: { form, isLast: (text) => text.includes('last') },
  };
  return new UpstreamClient(pools).send(request, timeouts);
}

const scripted: Script = (socket, first) => {
  socket.write(message(JSON.stringify({ echoed: first })));
  socket.end(Buffer.concat([message('{"n":2}'), closeFrame]));
};

it('messages are events, after the first one was sent', async () => {
  script = scripted;
  const exchange = send('events');
  await exchange.answer;
  expect(exchange.status).toBe(200);
  expect(exchange.headers['content-type']).toBe('text/event-stream');
  expect(exchange.requestSent).toBe(true);
  expect((await exchange.collect(1000)).toString()).toBe('data: {"echoed":"{\\"ask\\":1}"}\n\ndata: {"n":2}\n\n');
});

it('or one list of JSON', async () => {
  script = scripted;
  const exchange = send('list');
  await exchange.answer;
  expect(JSON.parse((await exchange.collect(1000)).toString())).toEqual([{ echoed: '{"ask":1}' }, { n: 2 }]);
});

it('a socket that closes without a word did not answer', async () => {
  script = (socket) => socket.end(closeFrame);
  await expect(send('events').answer).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
});

it('the last message ends the answer, whatever the socket does', async () => {
  script = (socket) => socket.write(Buffer.concat([message('{"n":1}'), message('{"last":1}'), message('{"n":3}')]));
  const exchange = send('list');
  await exchange.answer;
  expect(JSON.parse((await exchange.collect(1000)).toString())).toEqual([{ n: 1 }, { last: 1 }]);
});

it('silence ends the call', async () => {
  script = () => undefined;
  await expect(send('events', { firstByte: 100, idle: 5000 }).answer).rejects.toMatchObject({
    code: 'UPSTREAM_TIMEOUT',
  });
  script = (socket) => socket.write(message('{"n":1}'));
  const exchange = send('events', { firstByte: 5000, idle: 100 });
  await exchange.answer;
  await expect(exchange.collect(1000)).rejects.toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
});

it('a client that leaves closes the socket', async () => {
  script = (socket) => socket.write(message('{"n":1}'));
  const exchange = send('events');
  await exchange.answer;
  const body = exchange.collect(1000);
  const closed = new Promise((resolve) => sockets[0]?.once('data', resolve));
  exchange.abort(new Error('gone'));
  await expect(body).rejects.toThrow('gone');
  expect(((await closed) as Buffer)[0]).toBe(0x88);
});

it('a refused handshake is an upstream that cannot be reached', async () => {
  server.removeAllListeners('upgrade');
  await expect(send('events').answer).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
});

it('addresses that may not be called are not called', () => {
  const request: UpstreamRequest = {
    method: 'GET',
    url: 'ws://169.254.169.254/',
    headers: {},
    body: '',
    socket: { form: 'events', isLast: () => false },
  };
  expect(() => new UpstreamClient(pools).send(request, { firstByte: 1, idle: 1 })).toThrow('must not be called');
});
