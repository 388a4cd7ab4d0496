import type { FastifyInstance, FastifyRequest } from 'fastify';
import { gatewayType } from '../dialects/errors/failure.js';
import { hijack, type Hijacked } from '../gateway/incoming-request.js';
import { pathOf } from '../platform/http/cors.js';
import type { Relay } from '../gateway/pipeline.js';
import { refuse, sendError } from './client-errors.js';
import type { RelayRoutesDeps } from './built-relay.js';
import { prefixes } from './endpoints.js';

/** Routes of OpenAI that return 501 (docs/reference/relay/routes.md#paths-that-are-not-served). */
const notImplemented: ReadonlyArray<readonly ['GET' | 'POST' | 'DELETE', string]> = [
  ['POST', '/edits'],
  ['POST', '/images/variations'],
  ['GET', '/files'],
  ['POST', '/files'],
  ['DELETE', '/files/:id'],
  ['GET', '/files/:id'],
  ['GET', '/files/:id/content'],
  ['POST', '/fine-tunes'],
  ['GET', '/fine-tunes'],
  ['GET', '/fine-tunes/:id'],
  ['POST', '/fine-tunes/:id/cancel'],
  ['GET', '/fine-tunes/:id/events'],
  ['DELETE', '/models/:model'],
];

/** Everything else below these paths is 404. */
const apis = ['/v1', '/v1beta', '/v1beta1', '/v1alpha', '/hf', '/openai', '/anthropic', '/model', '/upload', '/ws'];

/** Adds the paths of providers' APIs that are not served. The key is checked first, as at every other path. */
export function addUnservedPaths(app: FastifyInstance, { relay, maxBodyBytes }: RelayRoutesDeps): void {
  for (const [method, path] of notImplemented) {
    for (const prefix of prefixes) {
      app.route({
        method,
        url: prefix + path,
        handler: (request, reply) => void refuseUnserved(relay, request, hijack(request, reply, maxBodyBytes), 501),
      });
    }
  }
  for (const api of apis) {
    app.route({
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      url: `${api}/*`,
      handler: (request, reply) => void refuseUnserved(relay, request, hijack(request, reply, maxBodyBytes), 404),
    });
  }
}

const notImplementedError = {
  message: 'API not implemented',
  type: gatewayType,
  param: '',
  code: 'api_not_implemented',
};

/** Refuses a call with 501 or 404 in the client's dialect, or because of its key. */
export async function refuseUnserved(
  relay: Relay,
  request: FastifyRequest,
  { incoming, client }: Hijacked,
  status: 404 | 501,
): Promise<void> {
  try {
    await relay.authenticate(incoming);
    const message = `Invalid URL (${request.method} ${pathOf(request)})`;
    const invalidUrl = { message, type: 'invalid_request_error', param: '', code: '' };
    refuse(request, client, status, status === 501 ? notImplementedError : invalidUrl);
  } catch (error) {
    sendError(request, client, error);
  }
}
