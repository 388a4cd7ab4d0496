import type { FastifyPluginAsync, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { Hijacked } from '../../gateway/incoming-request.js';
import { hijack } from '../../gateway/incoming-request.js';
import { prefixes } from '../endpoints.js';
import { addRelayRoutes, relayRoute, type RelayRoute } from '../relay-route.js';
import { anything, flag, list, open, text } from '../relay-shapes.js';
import { withRawBodies } from '../tasks/incoming-task.js';
import { anthropicBatches } from './anthropic-batches.js';
import { apiOf } from '../objects/object-api.js';
import type { BatchDialect } from './batch-dialect.js';
import type { BatchRoutesDeps } from './batch-routes-deps.js';
import { geminiBatches } from './gemini-batches.js';
import { openAIBatches } from './openai-batches.js';

type Handler = (deps: BatchRoutesDeps, call: Hijacked, request: FastifyRequest) => Promise<void>;

const ofBatch = { path: { id: text.describe('Id of the batch') }, example: { path: { id: 'none' } } } as const;
const message = open({ id: text, processing_status: text }, { request_counts: anything, results_url: text.nullable() });
const batch = open({ id: text, status: text }, { request_counts: anything, output_file_id: text.nullable() });

/** Google's newer clients call `/v1`. */
const dialectOf = (request: FastifyRequest): BatchDialect =>
  apiOf(request) === 'gemini' ? geminiBatches : openAIBatches;

/** Batches of OpenAI and of Anthropic (docs/reference/relay/batches.md). */
export const batchSubmissionRoutes: ReadonlyArray<RelayRoute<Handler>> = [
  relayRoute('POST /v1/batches', ({ batches, openAI }, call, request) => batches.create(openAI, call, request), {
    summary: 'Run the calls of a file within a day, at the price of batches',
    body: open({ input_file_id: text, endpoint: text, completion_window: text }, { metadata: anything }),
    response: batch,
    example: { body: { input_file_id: 'none', endpoint: '/v1/chat/completions', completion_window: '24h' } },
  }),
  relayRoute('GET /v1/batches', ({ batches }, call, request) => batches.list(dialectOf(request), call, request), {
    summary: 'Own batches, newest first',
    withoutHead: true,
    query: {
      limit: text.optional().describe('At most 100, by default 20'),
      after: text.optional().describe('Id of the batch before the page'),
    },
    response: open({ data: list }, { object: text, has_more: flag }),
    example: {},
  }),
  relayRoute('GET /v1/batches/:id', ({ batches }, call, request) => batches.read(dialectOf(request), call, request), {
    summary: 'A batch',
    withoutHead: true,
    response: batch,
    ...ofBatch,
  }),
  relayRoute(
    'POST /v1/batches/:id/cancel',
    ({ batches }, call, request) => batches.cancel(openAIBatches, call, request),
    {
      summary: 'Cancel a batch',
      response: batch,
      ...ofBatch,
    },
  ),
  relayRoute(
    'POST /v1/messages/batches',
    ({ batches, anthropic }, call, request) => batches.create(anthropic, call, request),
    {
      summary: 'Run messages within a day, at the price of batches',
      body: open({ requests: list }, {}),
      response: message,
      example: { body: { requests: [] } },
    },
  ),
  relayRoute(
    'GET /v1/messages/batches',
    ({ batches }, call, request) => batches.list(anthropicBatches, call, request),
    {
      summary: 'Own batches of messages, newest first',
      withoutHead: true,
      query: {
        limit: text.optional().describe('At most 100, by default 20'),
        after_id: text.optional().describe('Id of the batch before the page'),
      },
      response: open({ data: list }, { has_more: flag }),
      example: {},
    },
  ),
  relayRoute(
    'GET /v1/messages/batches/:id',
    ({ batches }, call, request) => batches.read(anthropicBatches, call, request),
    { summary: 'A batch of messages', withoutHead: true, response: message, ...ofBatch },
  ),
  relayRoute(
    'GET /v1/messages/batches/:id/results',
    ({ batches }, call, request) => batches.results(anthropicBatches, call, request),
    {
      summary: 'Results of a batch of messages, a line for each',
      withoutHead: true,
      media: 'application/octet-stream',
      ...ofBatch,
    },
  ),
  relayRoute(
    'POST /v1/messages/batches/:id/cancel',
    ({ batches }, call, request) => batches.cancel(anthropicBatches, call, request),
    { summary: 'Cancel a batch of messages', response: message, ...ofBatch },
  ),
  relayRoute(
    'DELETE /v1/messages/batches/:id',
    ({ batches }, call, request) => batches.remove(anthropicBatches, call, request),
    { summary: 'Delete a batch of messages that has ended', response: open({ id: text }, {}), ...ofBatch },
  ),
];

const operation = open({}, { name: text, metadata: anything, done: flag, response: anything });

const geminiChanges = (prefix: '/v1beta' | '/v1'): Array<RelayRoute<Handler>> => [
  relayRoute(
    `POST ${prefix}/batches/:id`,
    ({ batches }, call, request) => batches.cancel(geminiBatches, call, request),
    {
      summary: 'Cancel a batch of Gemini',
      response: open({}, {}),
      path: { id: text.describe('Id of the batch, and `:cancel`') },
      example: { path: { id: 'none:cancel' } },
    },
  ),
  relayRoute(
    `DELETE ${prefix}/batches/:id`,
    ({ batches }, call, request) => batches.remove(geminiBatches, call, request),
    { summary: 'Delete a batch of Gemini that has ended', response: open({}, {}), ...ofBatch },
  ),
];

/** Batches of Gemini. `:batchGenerateContent`, which creates them, is a method of models. */
export const geminiBatchRoutes: ReadonlyArray<RelayRoute<Handler>> = [
  relayRoute('GET /v1beta/batches', ({ batches }, call, request) => batches.list(geminiBatches, call, request), {
    summary: 'Own batches of Gemini, newest first',
    withoutHead: true,
    query: {
      pageSize: text.optional().describe('At most 100, by default 20'),
      pageToken: text.optional().describe('`nextPageToken` of the page before'),
    },
    response: open({ operations: list }, { nextPageToken: text }),
    example: {},
  }),
  relayRoute('GET /v1beta/batches/:id', ({ batches }, call, request) => batches.read(geminiBatches, call, request), {
    summary: 'A batch of Gemini, with its results once it has ended',
    withoutHead: true,
    response: operation,
    ...ofBatch,
  }),
  ...geminiChanges('/v1beta'),
];

/** Changes of batches of Gemini by Google's newer clients. What they read has a path in common with OpenAI's. */
export const newerGeminiBatchRoutes: ReadonlyArray<RelayRoute<Handler>> = geminiChanges('/v1');

/** `/v1/batches`, `/v1/messages/batches` and `/v1beta/batches`. */
export const batchRoutes = (deps: BatchRoutesDeps): FastifyPluginAsync =>
  withRawBodies(async (app) => {
    const handlerOf =
      (served: Handler): RouteHandlerMethod =>
      (request, reply) =>
        void served(deps, hijack(request, reply, deps.maxBodyBytes), request);
    addRelayRoutes(app, batchSubmissionRoutes, prefixes, handlerOf);
    addRelayRoutes(app, geminiBatchRoutes, ['/v1beta'], handlerOf);
    addRelayRoutes(app, newerGeminiBatchRoutes, ['/v1'], handlerOf);
  });
