import type { FastifyInstance } from 'fastify';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** Serves a request without the framework. @returns false when the framework has to serve it */
export type ServeDirectly = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Offers every request to `serve` before Fastify gets it (docs/adr/0066-hot-calls-are-served-before-the-framework.md). While
 * the server closes, Fastify gets all of them, because it ends connections. Call it before any other listener is added.
 * @param trustsProxies Fastify also gets the requests that a proxy forwards, whose address it reads from their headers
 */
export function serveDirectly(app: FastifyInstance, serve: ServeDirectly, trustsProxies: boolean): void {
  const { server } = app;
  const [framework] = server.listeners('request') as RequestListener[];
  if (!framework) throw new Error('the server has no request listener');
  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  server.removeListener('request', framework);
  server.on('request', (request, response) => {
    const forwarded = trustsProxies && request.headers['x-forwarded-for'] !== undefined;
    if (closing || forwarded || !serve(request, response)) framework.call(server, request, response);
  });
}
