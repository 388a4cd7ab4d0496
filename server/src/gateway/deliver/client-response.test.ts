import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
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
