import type { FastifyRequest } from 'fastify';
import { UpstreamError } from '../../dialects/errors/upstream-error.js';
import type { Guardrails } from '../../gateway/admit/guardrails/guardrails.js';
import { guardedCopy } from '../../gateway/deliver/guarded-answer.js';
import { interactionQuery } from '../../gateway/forwarded-query.js';
import type { Hijacked } from '../../gateway/incoming-request.js';
import { InvalidInputError } from '../../shared/errors.js';
import type { KeptObjects } from '../objects/kept-objects.js';
import type { ObjectAccounts } from '../objects/object-accounts.js';
import { answerHeaders, ownerOf, type ObjectCall, type ObjectCalls } from '../objects/object-calls.js';
import { featureHeaders, type ObjectExchange } from '../objects/object-exchange.js';

interface StoredInteractionsDeps {
  readonly calls: ObjectCalls;
  readonly accounts: ObjectAccounts;
  readonly exchange: ObjectExchange;
  readonly objects: KeptObjects;
  readonly guardrails: Guardrails;
}

/** Reads, deletes and cancels interactions that Google stores, at the account that made them. All are free. */
export class StoredInteractions {
  constructor(private readonly deps: StoredInteractionsDeps) {}

  /** Serves one request. An interaction of another key is reported as missing. Never throws. */
  async serve(hijacked: Hijacked, request: FastifyRequest): Promise<void> {
    await this.deps.calls.admit(hijacked, request, (call) => this.ask(call));
  }

  private async ask({ caller, groups, incoming, client, request }: ObjectCall): Promise<void> {
    const { accounts, exchange, objects, guardrails } = this.deps;
    const { id = '' } = request.params as { id?: string };
    const method = request.method as 'GET' | 'DELETE' | 'POST';
    const { query } = incoming;
    const path = incoming.path.replace(/^\/v1\//, '/v1beta/');
    if (method === 'GET' && new URLSearchParams(query).get('stream') === 'true') {
      throw new InvalidInputError('a stored interaction is not streamed: leave stream out', 'stream');
    }
    const object = { field: 'the path', id, isConversation: true };
    const account = await accounts.ofObjects(caller, 'gemini', [object]);
    const owner = ownerOf(caller, account);
    const sent = { method, path: path + interactionQuery(query), headers: featureHeaders(account, incoming) };
    try {
      const { answer, body } = await exchange.ask(account, sent, async (answer) => ({
        answer,
        body: await exchange.collect(answer),
      }));
      if (method === 'DELETE') await objects.remove(id, owner);
      // Google's copy is not masked, so guardrails check it again.
      const guard = method === 'DELETE' ? undefined : guardrails.ofAny(caller, groups, '', incoming.requestId);
      const shown = guard?.checksOutput ? await guardedCopy(body, guard) : body;
      client.send(answer.status, answerHeaders(answer), shown);
    } catch (error) {
      if (error instanceof UpstreamError && error.status === 404) await objects.remove(id, owner);
      throw error;
    }
  }
}
