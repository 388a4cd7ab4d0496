import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { ClientResponse } from './client-response.js';

/** Milliseconds, long enough that a busy machine does not miss a tenth of it. */
const patience = 3000;
const longer = 4500;

let server: Server;
let client: ClientResponse;
let incoming: IncomingMessage;

/** A client that reads nothing until the test resumes it. */
beforeEach(async () => {
  server = createServer((_request, raw) => {
    client = new ClientResponse(raw, { 'x-id': '1' }, patience);
    client.openStream({});
    client.write('.');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  incoming = await new Promise<IncomingMessage>((resolve) => {
    request({ host: '127.0.0.1', port }, resolve)
      .on('error', () => undefined)
      .end();
  });
  incoming.on('error', () => undefined);
  incoming.pause();
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const pausable = () => ({ pause: jest.fn(), resume: jest.fn() });
/** Fills every buffer between the two ends. */
const fill = (source: ReturnType<typeof pausable>): void => {
  for (let piece = 0; piece < 200; piece++) client.write(Buffer.alloc(64 * 1024), source);
};
const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

it('a client that takes nothing for the time it has is dropped, and whoever serves it hears of it', async () => {
  const source = pausable();
  const gone = jest.fn();
  client.onGone(gone);
  fill(source);
  expect(source.pause).toHaveBeenCalledTimes(1);
  expect(client.gone).toBe(false);
  await wait(longer);
  expect(client.gone).toBe(true);
  expect(gone).toHaveBeenCalledTimes(1);
  expect(source.resume).not.toHaveBeenCalled();
});

it('one that takes it in time goes on', async () => {
  const source = pausable();
  fill(source);
  await wait(patience / 10);
  incoming.resume();
  await wait(longer);
  expect(client.gone).toBe(false);
  expect(source.resume).toHaveBeenCalledTimes(1);
});

it('an answer that is dropped does not look complete', async () => {
  const ended = new Promise<boolean>((resolve) => incoming.once('close', () => resolve(incoming.complete)));
  incoming.resume();
  client.write('begun');
  client.drop();
  expect(await ended).toBe(false);
});

it.each([
  ['ends without further bytes', 2],
  ['ends with its last bytes', 1],
])('a stream that is complete at once has its end after its bytes: %s', async (_case, writes) => {
  const pieces = ['data: a\n\n', 'data: b\n\n'];
  server.removeAllListeners('request').on('request', (_request, raw) => {
    const whole = new ClientResponse(raw, {});
    whole.openStream({});
    for (const piece of pieces.slice(0, writes)) whole.write(piece);
    whole.end(pieces[writes] ?? '');
  });
  // The second response waits for the first one on the same connection.
  const sent = await new Promise<string>((resolve) => {
    let received = '';
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('data', (bytes) => (received += String(bytes))).on('close', () => resolve(received));
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\nGET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  });
  const [, ...responses] = sent.split('HTTP/1.1 200 OK\r\n');
  expect(responses.map((response) => textOf(response.slice(response.indexOf('\r\n\r\n') + 4)))).toEqual([
    pieces.join(''),
    pieces.join(''),
  ]);
});

/** Decodes a body of chunks, which must end with the empty one. */
function textOf(body: string): string {
  const [size = '', ...rest] = body.split('\r\n');
  const length = Number.parseInt(size, 16);
  const after = rest.join('\r\n');
  if (length > 0) return after.slice(0, length) + textOf(after.slice(length + 2));
  return after === '\r\n' ? '' : `not the end: ${after}`;
}
