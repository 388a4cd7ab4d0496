import Fastify from 'fastify';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { createLogger } from '../observability/logger.js';
import { prepareClose } from './close-gracefully.js';

const logger = createLogger('silent');

/** A server with one quick route. */
async function quickServer() {
  const app = Fastify({ return503OnClosing: false });
  const close = prepareClose(app, 600_000, logger);
  app.get('/quick', () => 'whole');
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  /** Opens a connection that the server has accepted and whose client sends nothing. */
  const open = async () => {
    const client = connect(port, '127.0.0.1');
    await once(app.server, 'connection');
    return client;
  };
  return { url, close, open };
}

/** A server with one slow route, and a call to it that has begun. */
async function callInFlight(milliseconds: number, timeout: number) {
  const app = Fastify();
  const close = prepareClose(app, timeout, logger);
  let arrived: () => void;
  const begun = new Promise<void>((resolve) => (arrived = resolve));
  app.get('/', (_request, reply) => {
    reply.hijack();
    arrived();
    setTimeout(() => reply.raw.end('whole'), milliseconds).unref();
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const answer = fetch(url).then((response) => response.text());
  answer.catch(() => undefined);
  await begun;
  return { url, close, answer };
}

it('lets a call in flight finish and takes no new one', async () => {
  const { url, close, answer } = await callInFlight(300, 600_000);
  const closing = close();
  await new Promise((resolve) => setTimeout(resolve, 50));
  const refused = await new Promise<string>((resolve) => {
    request(url, (response) => resolve(String(response.statusCode)))
      .on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
      .end();
  });
  expect(refused).toBe('ECONNREFUSED');
  expect(await answer).toBe('whole');
  // The client keeps its connection open for another call. Waiting for that would take ten minutes.
  await closing;
});

it('ends the connections of calls that take too long', async () => {
  const { close, answer } = await callInFlight(600_000, 200);
  await close();
  await expect(answer).rejects.toThrow();
});

it('serves the first request of a connection that it had accepted, and closes the connection', async () => {
  const { close, open } = await quickServer();
  const client = await open();
  let response = '';
  client.setEncoding('utf8').on('data', (part: string) => (response += part));
  const closed = once(client, 'close');
  const closing = close();
  await new Promise((resolve) => setTimeout(resolve, 50));
  client.write('GET /quick HTTP/1.1\r\nhost: test\r\n\r\n');
  await closed;
  expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nwhole$/);
  expect(response).toMatch(/^connection: close\r$/im);
  await closing;
});

it('does not wait for clients that keep connections open without a request', async () => {
  const { url, close, open } = await quickServer();
  const agent = new Agent({ keepAlive: true });
  await new Promise<void>((resolve, reject) => {
    request(`${url}/quick`, { agent }, (response) => response.resume().on('end', resolve))
      .on('error', reject)
      .end();
  });
  const unused = await open();
  unused.on('error', () => undefined);
  // Waiting for either of the two connections would take ten minutes.
  await close();
  agent.destroy();
});
