import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ClientResponse } from '../../gateway/deliver/client-response.js';
import { hijack, type Hijacked } from '../../gateway/incoming-request.js';
import type { IncomingRequest } from '../../gateway/request.js';
import { sendError } from '../client-errors.js';
import { countMessages } from '../count-messages.js';
import type { RelayRoutesDeps } from '../built-relay.js';
import { refuseUnserved } from '../unserved-paths.js';
import { type AwsForm, AwsResponse, converseForm, invokeForm } from './aws-response.js';
import { plainModel } from './host-models.js';
import { atBedrock, atConverse, atCountTokens, atHost, countedAtBedrock, type HostPath } from './hosted-endpoints.js';

/**
 * Adds the paths of clients that are fixed to Claude at Bedrock or Vertex AI
 * (docs/reference/relay/routes.md#paths-of-hosts).
 */
export function addHostPaths(app: FastifyInstance, deps: RelayRoutesDeps): void {
  addBedrockPaths(app, deps);
  for (const version of ['/v1', '/v1beta1']) {
    app.post<{ Params: { call: string } }>(
      `${version}/projects/:project/locations/:location/publishers/anthropic/models/:call`,
      (request, reply) =>
        void serveVertex(request.params.call, request, hijack(request, reply, deps.maxBodyBytes), deps),
    );
  }
}

type Serve = (path: HostPath, incoming: IncomingRequest, client: ClientResponse) => Promise<void>;

function addBedrockPaths(app: FastifyInstance, deps: RelayRoutesDeps): void {
  const { relay } = deps;
  const served =
    (at: typeof atBedrock, stream: boolean): Serve =>
    (path, ...to) =>
      relay.serve(at({ ...path, stream }), ...to);
  const methods: ReadonlyArray<readonly [method: string, formOf: () => AwsForm, serve: Serve]> = [
    ['invoke', invokeForm, served(atBedrock, false)],
    ['invoke-with-response-stream', invokeForm, served(atBedrock, true)],
    ['converse', converseForm, served(atConverse, false)],
    ['converse-stream', converseForm, served(atConverse, true)],
    [
      'count-tokens',
      invokeForm,
      (path, incoming, client) =>
        relay.count(atCountTokens(path), countedAtBedrock(incoming), client, (inputTokens) => ({ inputTokens })),
    ],
  ];
  for (const [method, formOf, serve] of methods) {
    app.post<{ Params: { model: string } }>(`/model/:model/${method}`, (request, reply) => {
      const hijacked = hijack(request, reply, deps.maxBodyBytes, (response) => new AwsResponse(response, formOf()));
      void serveHosted(request, hijacked, deps, request.params.model, serve);
    });
  }
}

/**
 * `…:rawPredict` and `…:streamRawPredict` are Messages, whose model is in the path. Vertex AI counts tokens under a name in place of
 * the model, which the body names then.
 */
function serveVertex(call: string, request: FastifyRequest, hijacked: Hijacked, deps: RelayRoutesDeps): Promise<void> {
  const { relay } = deps;
  if (call === 'count-tokens:rawPredict')
    return serveHosted(request, hijacked, deps, undefined, (hosted, ...to) =>
      countMessages(relay, atHost(hosted), ...to),
    );
  const [, model, method] = /^(.+):(rawPredict|streamRawPredict)$/.exec(call) ?? [];
  if (method === undefined) return refuseUnserved(relay, request, hijacked, 404);
  return serveHosted(request, hijacked, deps, model, (hosted, ...to) => relay.serve(atHost(hosted), ...to));
}

/** Serves a call under the name that is offered to its key: the host's name of the model, or else Anthropic's. */
async function serveHosted(
  request: FastifyRequest,
  { incoming, client }: Hijacked,
  { relay, channels }: RelayRoutesDeps,
  model: string | undefined,
  serve: Serve,
): Promise<void> {
  try {
    const { caller, groups } = await relay.identify(incoming);
    const isOffered = (name: string): boolean =>
      groups.some((group) => channels.table.find(group, name, caller.user.id) !== null);
    const nameOf = (named: string): string => {
      const plain = plainModel(named);
      return !isOffered(named) && isOffered(plain) ? plain : named;
    };
    await serve({ model, nameOf }, { ...incoming, path: '/v1/messages', caller }, client);
  } catch (error) {
    sendError(request, client, error);
  }
}
