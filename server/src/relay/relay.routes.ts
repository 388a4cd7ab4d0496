import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../shared/errors.js';
import { ClientResponse } from './client-response.js';
import { offeredModels } from './offered-models.js';
import { toOpenAIFailure } from './protocols/openai/error.js';
import {
  modelList,
  modelListFormat,
  oneModel,
  unknownModel,
  type OfferedModel,
} from './protocols/openai/model-list.js';
import type { RelayRoutesParts } from './relay-routes-parts.js';
import { sendFailure, type IncomingCall, type Relay } from './relay.js';
import { readRequestBody } from './request-body.js';

/** Answered 501 once the key is good (`relay-core.md` 1.3, 1.4). */
const notImplemented: ReadonlyArray<readonly ['GET' | 'POST' | 'DELETE', string]> = [
  ['POST', '/edits'],
  ['POST', '/images/edits'],
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

const notImplementedBody = JSON.stringify({
  error: { message: 'API not implemented', type: 'veloera_error', param: '', code: 'api_not_implemented' },
});

/** `/v1` and its exact alias `/hf/v1`. Hot routes take the raw request and write the raw answer. */
export function relayRoutes(parts: RelayRoutesParts): FastifyPluginAsync {
  return async (app) => {
    // The relay reads bodies itself, after it knows whose they are.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, _payload, done) => done(null));
    for (const prefix of ['/v1', '/hf/v1']) addRoutes(app, prefix, parts);
  };
}

function addRoutes(app: FastifyInstance, prefix: string, parts: RelayRoutesParts): void {
  const { relay } = parts;
  app.post(`${prefix}/chat/completions`, (request, reply) => {
    const { incoming, client } = take(request, reply, parts.maxBodyBytes);
    void relay.chat(incoming, client);
  });
  const looksUp = (answer: (call: Lookup) => void) => (request: FastifyRequest, reply: FastifyReply) => {
    const { incoming, client } = take(request, reply, parts.maxBodyBytes);
    void lookUp(incoming, client, request, parts, answer);
  };
  app.get(`${prefix}/models`, looksUp(answerList));
  app.get(`${prefix}/models/:model`, looksUp(answerOne));
  // Model names may hold slashes.
  app.get(`${prefix}/models/:model/*`, looksUp(answerOne));
  for (const [method, path] of notImplemented) {
    app.route({
      method,
      url: prefix + path,
      handler: (request, reply) => {
        const { incoming, client } = take(request, reply, parts.maxBodyBytes);
        void refuseUnbuilt(relay, incoming, client);
      },
    });
  }
}

interface Lookup {
  readonly models: readonly OfferedModel[];
  readonly incoming: IncomingCall;
  readonly client: ClientResponse;
  readonly modelPath: string;
}

async function lookUp(
  incoming: IncomingCall,
  client: ClientResponse,
  request: FastifyRequest,
  parts: RelayRoutesParts,
  answer: (call: Lookup) => void,
): Promise<void> {
  try {
    const { caller, group } = await parts.relay.identify(incoming);
    const models = offeredModels(caller, group, parts.channels.table, parts.prices, parts.options.values);
    const params = request.params as { model?: string; '*'?: string };
    const modelPath = params['*'] ? `${params.model ?? ''}/${params['*']}` : (params.model ?? '');
    answer({ models, incoming, client, modelPath });
  } catch (error) {
    fail(error, incoming, client, request);
  }
}

function answerList({ models, incoming, client }: Lookup): void {
  const format = modelListFormat(incoming.headers, incoming.path, incoming.query);
  client.send(200, json, JSON.stringify(modelList(models, format)));
}

function answerOne({ models, incoming, client, modelPath }: Lookup): void {
  const found = models.find(({ id }) => id === modelPath);
  const format = modelListFormat(incoming.headers, incoming.path, incoming.query);
  if (found) client.send(200, json, JSON.stringify(oneModel(found, format)));
  else client.send(404, json, JSON.stringify(unknownModel(modelPath)));
}

async function refuseUnbuilt(relay: Relay, incoming: IncomingCall, client: ClientResponse): Promise<void> {
  try {
    await relay.authenticate(incoming);
    client.send(501, json, notImplementedBody);
  } catch (error) {
    sendFailure(client, toOpenAIFailure(error), incoming.requestId);
  }
}

const json = { 'content-type': 'application/json; charset=utf-8' };

function fail(error: unknown, incoming: IncomingCall, client: ClientResponse, request: FastifyRequest): void {
  const failure = toOpenAIFailure(error);
  if (failure.status >= 500 && !(error instanceof AppError)) request.log.error({ err: error }, 'unforeseen failure');
  sendFailure(client, failure, incoming.requestId);
}

/** Takes the answer out of Fastify's hands; headers set by hooks so far are kept. */
function take(
  request: FastifyRequest,
  reply: FastifyReply,
  maxBodyBytes: number,
): { incoming: IncomingCall; client: ClientResponse } {
  reply.hijack();
  const { url } = request;
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const incoming: IncomingCall = {
    requestId: request.id,
    headers: request.headers,
    path: withoutAlias(path),
    query: mark === -1 ? '' : url.slice(mark + 1),
    address: request.ip,
    startedAt: performance.now(),
    readBody: () => readRequestBody(request.raw, maxBodyBytes),
  };
  return { incoming, client: new ClientResponse(reply.raw, reply.getHeaders() as OutgoingHttpHeaders) };
}

function withoutAlias(path: string): string {
  const plain = path.startsWith('/hf/v1/') ? path.slice('/hf'.length) : path;
  return plain.length > 1 && plain.endsWith('/') ? plain.slice(0, -1) : plain;
}
