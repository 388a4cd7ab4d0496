import type { FastifyReply, FastifyRequest } from 'fastify';
import { pathOf } from './cors.js';

/** Paths of APIs. Every other path belongs to the console's router. */
export const isProgramPath = (path: string): boolean => /^\/(v1|api|assets|graphql)/.test(path);

/** The response to unknown paths and wrong methods (docs/reference/rest/conventions.md#urls-and-bodies). */
export function sendInvalidUrl(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const message = `Invalid URL (${request.method} ${pathOf(request)})`;
  return reply.status(404).send({ error: { message, type: 'invalid_request_error', param: '', code: '' } });
}
