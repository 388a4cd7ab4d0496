import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { z } from 'zod';
import { storedQuery } from '../../gateway/forwarded-query.js';
import type { Hijacked } from '../../gateway/incoming-request.js';
import { sendFailure } from '../../gateway/deliver/send-failure.js';
import type { RelayRoutesDeps } from '../built-relay.js';
import { responsesEndpoint } from '../chat/chat-endpoints.js';
import { prefixes } from '../endpoints.js';
import { addRelayRoutes, relayRoute, takeCall, type RelayRoute, type ServeCall } from '../relay-route.js';
import { anything, flag, input, list, model, open, stream, text, whole } from '../relay-shapes.js';
import { serveUpgrade, takeUpgrades } from '../realtime/upgrades.js';
import { incomingTask } from '../tasks/incoming-task.js';
import { guardedCopy } from '../../gateway/deliver/guarded-answer.js';
import { toCallFailure } from '../../dialects/errors/failure.js';
import { asFields, asList, someText, type Fields } from '../../dialects/neutral/fields.js';
import { compactionCall, responsesCall } from './responses-calls.js';
import { responseNotFound } from './resumed-call.js';

const json = { 'content-type': 'application/json; charset=utf-8' };

const responsesBody = open(
  { model, input },
  {
    instructions: text,
    previous_response_id: text,
    store: flag,
    stream,
    max_output_tokens: whole,
    tools: list,
    reasoning: anything,
  },
);
const responsesResponse = open({ id: text, output: list }, { object: text, status: text, usage: anything });
const example = { body: { model: 'gpt-4o', input: 'Say hello' } };
const path = { id: text.describe('Id of the response') };
const ofStored = { path, example: { path: { id: 'resp_none' } } };

/** Calls of OpenAI's Responses, and stored responses. */
export const responsesRoutes: ReadonlyArray<RelayRoute<ServeCall>> = [
  relayRoute(
    'POST /v1/responses',
    (deps, { incoming, client }) => {
      const call = responsesCall(incoming, deps);
      return deps.relay.serve(call.endpoint, call.incoming, client);
    },
    { summary: 'Response', body: responsesBody, response: responsesResponse, streams: true, example },
  ),
  relayRoute(
    'POST /v1/responses/compact',
    (deps, { incoming, client }) => {
      const call = compactionCall(incoming, deps);
      return deps.relay.serve(call.endpoint, call.incoming, client);
    },
    {
      summary: 'Shorten a conversation',
      body: responsesBody,
      response: open({}, { id: text, object: z.literal('response.compaction'), output: list }),
      example: { body: { model: 'gpt-4o', input: 'A long conversation' } },
    },
  ),
  relayRoute(
    'POST /v1/responses/input_tokens',
    (deps, { incoming, client }) => {
      const call = responsesCall(incoming, deps);
      const show = (tokens: number): Fields => ({ object: 'response.input_tokens', input_tokens: tokens });
      return deps.relay.count(call.endpoint, call.incoming, client, show);
    },
    {
      summary: 'Count the input tokens of a response. Free',
      body: responsesBody,
      response: open({ input_tokens: whole }, { object: text }),
      example,
    },
  ),
  relayRoute('GET /v1/responses/:id', answerStored, {
    summary: 'A stored response',
    response: responsesResponse,
    ...ofStored,
  }),
  relayRoute('DELETE /v1/responses/:id', answerStored, {
    summary: 'Delete a stored response',
    response: open({}, { id: text, deleted: flag }),
    ...ofStored,
  }),
  relayRoute('GET /v1/responses/:id/input_items', answerStored, {
    summary: 'Input of a stored response',
    response: open({}, { object: z.literal('list'), data: list }),
    ...ofStored,
  }),
  relayRoute('POST /v1/responses/:id/cancel', answerStored, {
    summary: 'Cancel a response of a provider that runs it in the background',
    response: responsesResponse,
    ...ofStored,
  }),
];

/** `GET /v1/responses`. */
export const responsesSocketRoute = relayRoute(
  'GET /v1/responses',
  ({ responsesSockets }: RelayRoutesDeps): RouteHandlerMethod =>
    (request, reply) =>
      serveUpgrade(request, reply, async () =>
        responsesSockets.accept({ ...incomingTask(request, 0), path: '/v1/responses' }),
      ),
  { summary: 'Responses over a WebSocket', upgrades: true, example: {} },
);

/** Adds the routes of OpenAI's Responses. */
export function addResponsesRoutes(app: FastifyInstance, deps: RelayRoutesDeps): void {
  takeUpgrades(app);
  addRelayRoutes(app, responsesRoutes, prefixes, (served) => takeCall(served, deps));
  addRelayRoutes(app, [responsesSocketRoute], prefixes, (served) => served(deps));
}

/** Reads, deletes and cancels responses. A response of another token is reported as missing. */
async function answerStored(
  deps: RelayRoutesDeps,
  { incoming, client }: Hijacked,
  request: FastifyRequest,
): Promise<void> {
  let leave = (): void => undefined;
  try {
    const { caller, groups } = await deps.relay.identify(incoming);
    leave = await deps.inFlight.enter(caller);
    client.watchGone(leave);
    const { id = '' } = request.params as { id?: string };
    const stored = await deps.responses.find(caller.token.id, id);
    const method = request.method as 'GET' | 'DELETE' | 'POST';
    if (!stored || (stored.refused && method !== 'DELETE')) throw responseNotFound(id);
    const isList = incoming.path.endsWith('/input_items');
    if (!stored.own) {
      const rest = incoming.path.slice(incoming.path.indexOf('/responses/') + '/responses/'.length);
      const body = await deps.providerResponses.ask(method, rest + storedQuery(incoming.query), stored, client);
      if (method === 'DELETE') await deps.responses.remove(caller.token.id, id);
      // The provider's copy is not masked, so guardrails check it again.
      const guard = method === 'DELETE' ? undefined : deps.guardrails.ofAny(caller, groups, '', incoming.requestId);
      return client.send(200, json, guard?.checksOutput ? await guardedCopy(body, guard) : body);
    }
    if (method === 'DELETE') await deps.responses.remove(caller.token.id, id);
    const { response, items } = stored.own;
    const output = asList(response['output']).length;
    const shown =
      method === 'DELETE'
        ? { id, object: 'response.deleted', deleted: true }
        : isList
          ? listOf(items.slice(0, items.length - output))
          : response;
    client.send(200, json, JSON.stringify(shown));
  } catch (error) {
    sendFailure(client, toCallFailure(error), incoming.requestId, responsesEndpoint.errors(incoming));
  } finally {
    leave();
  }
}

const listOf = (items: readonly unknown[]): Fields => {
  const ids = items.map((item) => someText(asFields(item)?.['id']) ?? null);
  return { object: 'list', data: items, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null, has_more: false };
};
