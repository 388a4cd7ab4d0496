import type { FastifyInstance, FastifyRequest } from 'fastify';
import { gatewayType } from '../dialects/errors/failure.js';
import { hijack, type Hijacked } from '../gateway/incoming-request.js';
import { pathOf } from '../platform/http/cors.js';
import { isModelPage } from '../platform/http/not-found.js';
import type { Relay } from '../gateway/pipeline.js';
import { refuse, sendError } from './client-errors.js';
import { addRelayRoutes, relayRoute, takeCall, type RelayRoute, type ServeCall } from './relay-route.js';
import { anything } from './relay-shapes.js';
import type { RelayRoutesDeps } from './built-relay.js';
import { prefixes } from './endpoints.js';

const unbuilt = (route: RelayRoute<ServeCall>['route'], summary: string): RelayRoute<ServeCall> =>
  relayRoute(route, ({ relay }, call, request) => refuseUnserved(relay, request, call, 501), {
    summary,
    description: 'Not implemented: 501 after the key was checked.',
    response: anything,
    example: { path: { id: 'none', model: 'none' } },
  });

/** Routes of OpenAI that return 501 (docs/reference/relay/routes.md#paths-that-are-not-served). */
export const unbuiltRoutes = [
  unbuilt('POST /v1/edits', 'Edits'),
  unbuilt('POST /v1/fine-tunes', 'Start fine-tuning'),
  unbuilt('GET /v1/fine-tunes', 'Fine-tunings'),
  unbuilt('GET /v1/fine-tunes/:id', 'A fine-tuning'),
  unbuilt('POST /v1/fine-tunes/:id/cancel', 'Cancel a fine-tuning'),
  unbuilt('GET /v1/fine-tunes/:id/events', 'Events of a fine-tuning'),
  unbuilt('DELETE /v1/models/:model', 'Delete a model'),
];

/** Everything else below these paths is 404. */
const apis = ['/v1', '/v1beta', '/v1beta1', '/v1alpha', '/hf', '/openai', '/anthropic', '/model', '/upload', '/ws'];

/** Adds the paths of providers' APIs that are not served. The key is checked first, as at every other path. */
export function addUnservedPaths(app: FastifyInstance, deps: RelayRoutesDeps): void {
  const { relay, maxBodyBytes } = deps;
  addRelayRoutes(app, unbuiltRoutes, prefixes, (served) => takeCall(served, deps));
  for (const api of apis) {
    app.route({
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      url: `${api}/*`,
      handler: (request, reply) => {
        if (isModelPage(request)) return reply.callNotFound();
        return void refuseUnserved(relay, request, hijack(request, reply, maxBodyBytes), 404);
      },
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
