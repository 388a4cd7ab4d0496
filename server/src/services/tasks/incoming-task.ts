import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { isAppError } from '../../shared/errors.js';
import { retryHeaders, toCallFailure } from '../../dialects/errors/failure.js';
import { openAIErrorBody } from '../../dialects/languages/openai/error.js';
import type { IncomingRequest } from '../../gateway/request.js';
import { checkTarget, leaveBodies, readRequestBody } from '../../gateway/incoming-request.js';

/**
 * A task request in the form that the relay's access checks read.
 * @throws RelayError invalid_request
 */
export function incomingTask(request: FastifyRequest, maxBodyBytes: number): IncomingRequest {
  const { url } = request;
  const mark = url.indexOf('?');
  const incoming: IncomingRequest = {
    requestId: request.id,
    headers: request.headers,
    path: (mark < 0 ? url : url.slice(0, mark)).replace(/\/$/, ''),
    query: mark < 0 ? '' : url.slice(mark + 1),
    address: request.ip,
    startedAt: performance.now(),
    readBody: (allowance) => readRequestBody(request.raw, maxBodyBytes, allowance),
  };
  checkTarget(incoming);
  return incoming;
}

/** Sends failures of access and billing, in the shape of all other relay routes. */
export function sendAccessFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toCallFailure(error);
  if (!isAppError(error) || error.code === 'INTERNAL_ERROR') request.log.error({ err: error }, 'task call failed');
  return reply
    .status(failure.status)
    .headers(retryHeaders(failure))
    .type(jsonType)
    .send(openAIErrorBody(failure, request.id));
}

export const jsonType = 'application/json; charset=utf-8';

/** Headers of provider content. They prevent scripts, whatever the content is. */
export const passiveHeaders = {
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
};

/** Adds routes that read their bodies themselves, after authenticating the caller. */
export const withRawBodies =
  (routes: FastifyPluginAsync): FastifyPluginAsync =>
  async (app, options) => {
    leaveBodies(app);
    await routes(app, options);
  };

/** Returns a parameter of the path; empty when the route has no such parameter. */
export const pathPart = (request: FastifyRequest, name: string): string =>
  (request.params as Record<string, string | undefined>)[name] ?? '';
