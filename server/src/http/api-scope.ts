import type { FastifyInstance } from 'fastify';

/** Room for the largest settings table and a thousand channel keys. Anonymous routes set a smaller limit of their own. */
export const apiBodyLimit = 4 * 1024 * 1024;
/** For routes that anybody can call: a few short texts. */
export const anonymousBodyLimit = 16 * 1024;

/**
 * Bodies are JSON whatever the content type says (`rest-api.md` 1.1). One that is not JSON arrives as undefined, so that
 * it is refused after the caller was recognised, by the endpoint's own "invalid parameter" answer.
 */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    // Fastify refuses types that are not even well formed before it asks a parser.
    request.headers['content-type'] = 'application/json';
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    done(null, parseBody(String(body)));
  });
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
