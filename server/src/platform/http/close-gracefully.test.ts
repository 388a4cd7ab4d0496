import Fastify from 'fastify';
import { request } from 'node:http';
import { createLogger } from '../observability/logger.js';
import { closeGracefully } from './close-gracefully.js';

const logger = createLogger('silent');

/** A server with one slow route, and a call to it that has begun. */
async function callInFlight(milliseconds: number) {
  const app = Fastify();
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
  return { app, url, answer };
}

it('lets a call in flight finish and takes no new one', async () => {
  const { app, url, answer } = await callInFlight(300);
  const closing = closeGracefully(app, 600_000, logger);
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
  const { app, answer } = await callInFlight(600_000);
  await closeGracefully(app, 200, logger);
  await expect(answer).rejects.toThrow();
});
