import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ClientResponse } from '../../gateway/deliver/client-response.js';
import type { IncomingRequest } from '../../gateway/request.js';
import { storedQuery } from '../../gateway/forwarded-query.js';
import { hijack } from '../../gateway/incoming-request.js';
import { sendFailure } from '../../gateway/deliver/send-failure.js';
import type { RelayRoutesDeps } from '../built-relay.js';
import { responsesEndpoint } from '../chat/chat-endpoints.js';
import { serveUpgrade, takeUpgrades } from '../realtime/upgrades.js';
import { incomingTask } from '../tasks/incoming-task.js';
import { guardedCopy } from '../../gateway/deliver/guarded-answer.js';
import { toCallFailure } from '../../dialects/errors/failure.js';
import { asFields, asList, someText, type Fields } from '../../dialects/neutral/fields.js';
import { compactionCall, responsesCall } from './responses-calls.js';
import { responseNotFound } from './resumed-call.js';

const json = { 'content-type': 'application/json; charset=utf-8' };

/** Adds the routes of OpenAI's Responses: calls, and stored responses. */
export function addResponsesRoutes(app: FastifyInstance, prefix: string, deps: RelayRoutesDeps): void {
  const { relay, maxBodyBytes } = deps;
  app.post(`${prefix}/responses`, (request, reply) => {
    const { incoming, client } = hijack(request, reply, maxBodyBytes);
    const call = responsesCall(incoming, deps);
    void relay.serve(call.endpoint, call.incoming, client);
  });
  app.post(`${prefix}/responses/compact`, (request, reply) => {
    const { incoming, client } = hijack(request, reply, maxBodyBytes);
    const call = compactionCall(incoming, deps);
    void relay.serve(call.endpoint, call.incoming, client);
  });
  app.post(`${prefix}/responses/input_tokens`, (request, reply) => {
    const { incoming, client } = hijack(request, reply, maxBodyBytes);
    const call = responsesCall(incoming, deps);
    const show = (tokens: number): Fields => ({ object: 'response.input_tokens', input_tokens: tokens });
    void relay.count(call.endpoint, call.incoming, client, show);
  });
  takeUpgrades(app);
  app.get(`${prefix}/responses`, (request, reply) => {
    const incoming = (): IncomingRequest => ({ ...incomingTask(request, 0), path: '/v1/responses' });
    return serveUpgrade(request, reply, async () => deps.responsesSockets.accept(incoming()));
  });
  for (const [method, path] of storedPaths) {
    app.route({
      method,
      url: `${prefix}/responses/${path}`,
      handler: (request, reply) => {
        const { incoming, client } = hijack(request, reply, maxBodyBytes);
        void answerStored(request, incoming, client, deps);
      },
    });
  }
}

const storedPaths = [
  ['GET', ':id'],
  ['DELETE', ':id'],
  ['GET', ':id/input_items'],
  ['POST', ':id/cancel'],
] as const;

/** Reads, deletes and cancels responses. A response of another token is reported as missing. */
async function answerStored(
  request: FastifyRequest,
  incoming: IncomingRequest,
  client: ClientResponse,
  deps: RelayRoutesDeps,
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
