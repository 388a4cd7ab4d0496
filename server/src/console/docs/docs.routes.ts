import compress from '@fastify/compress';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { DocsService, Served } from './docs.service.js';
import { splitList } from '../../shared/comma-list.js';

const headers = {
  // The policy allows pages, one style sheet, one script and the search index, all of this origin.
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
} as const;

/**
 * `/docs` and `/llms.txt`: the documentation of this version, for everyone. Files are rendered at the first request,
 * because most servers are started without their documentation being read.
 * @param limit of pages and indexes per address; style sheet and script are not counted
 */
export const docsRoutes =
  (docs: DocsService, limit: onRequestAsyncHookHandler): FastifyPluginAsync =>
  async (app) => {
    await app.register(compress, { encodings: ['gzip'] });
    app.addHook('onRequest', async function (request, reply) {
      if (request.url.startsWith('/docs/site/')) return;
      return limit.call(this, request, reply);
    });

    app.get('/docs', (request, reply) => send(request, reply, docs.get('')));
    app.get<{ Params: { '*': string } }>('/docs/*', (request, reply) =>
      send(request, reply, docs.get(request.params['*'].replace(/\/$/, ''))),
    );
    app.get('/llms.txt', (request, reply) => send(request, reply, docs.llms()));
  };

function send(request: FastifyRequest, reply: FastifyReply, { body, type, tag, isMissing }: Served): FastifyReply {
  reply.headers(headers).header('etag', tag).type(type);
  // A proxy that compresses marks the tag as weak, so the mark is removed.
  const known = splitList(request.headers['if-none-match'] ?? '').map((one) => one.replace(/^W\//, ''));
  if (known.includes(tag)) return reply.status(304).send();
  return reply.status(isMissing ? 404 : 200).send(body);
}
