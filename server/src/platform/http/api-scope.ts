import type { FastifyInstance } from 'fastify';
import { parseBoundedJson } from './body-limits.js';

export { anonymousBodyLimit, apiBodyLimit } from './body-limits.js';

/**
 * Reads bodies as JSON regardless of their content type (docs/reference/rest/conventions.md#urls-and-bodies). A body
 * that is not JSON arrives as undefined, so that it is refused after authentication, with the endpoint's own "invalid
 * parameter" failure.
 */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    // Fastify refuses malformed content types before it calls a parser.
    request.headers['content-type'] = 'application/json';
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseBoundedJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}
