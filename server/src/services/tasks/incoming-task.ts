import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { isAppError } from '../../shared/errors.js';
import { retryHeaders, toCallFailure } from '../../dialects/errors/failure.js';
import { RelayError } from '../../dialects/errors/relay-error.js';
import { openAIErrorBody } from '../../dialects/languages/openai/error.js';
import type { Fields } from '../../dialects/neutral/fields.js';
import { parseJsonBody } from '../../dialects/wire/forms/json-body.js';
import type { IncomingRequest } from '../../gateway/request.js';
import { checkTarget, leaveBodies, parsedAhead, readRequestBody } from '../../gateway/incoming-request.js';
import { text } from './field.js';

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
    readBody: async (allowance) =>
      parsedAhead(await readRequestBody(request.raw, maxBodyBytes, allowance), allowance?.grant),
  };
  checkTarget(incoming);
  return incoming;
}

/**
 * Parses the body of a client within the bounds of all calls.
 * @returns null for a body that is no JSON object, or that is out of bounds
 */
export function objectIn(body: Buffer): Fields | null {
  try {
    return parseJsonBody(body);
  } catch (error) {
    if (error instanceof RelayError) return null;
    throw error;
  }
}

/** Bytes of the body of a lookup. It needs no balance, and is not counted in the budget of bodies. */
const lookupBytes = 256 * 1024;
const maxIds = 500;

/**
 * Returns the ids of tasks that a lookup names.
 * @throws AppError PAYLOAD_TOO_LARGE
 */
export async function idsIn(incoming: IncomingRequest): Promise<string[]> {
  const ids = objectIn(await incoming.readBody({ maxBytes: lookupBytes }))?.['ids'];
  return Array.isArray(ids) ? ids.slice(0, maxIds).map((id) => text(id, 200)) : [];
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
