import type { FastifyInstance } from 'fastify';
import { parseBoundedJson } from './body-limits.js';

export { anonymousBodyLimit, apiBodyLimit } from './body-limits.js';

/**
 * Bodies are JSON whatever the content type says (docs/reference/rest/conventions.md#urls-and-bodies). One that is not
 * JSON arrives as undefined, so that it is refused after the caller was recognised, by the endpoint's own "invalid
 * parameter" answer.
 */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    // Fastify refuses types that are not even well formed before it asks a parser.
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
