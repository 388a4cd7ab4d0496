import { attemptChat } from '../../gateway/send/attempt-chat.js';
import type { Attempt, AttemptOutcome } from '../../gateway/send/attempt.js';
import { responsesDialect, type ChatDialect } from '../../gateway/deliver/chat-dialects.js';
import type { ClientResponse } from '../../gateway/deliver/client-response.js';
import type { Endpoint } from '../../gateway/endpoint.js';
import type { IncomingRequest } from '../../gateway/request.js';
import { responsesEndpoint } from '../chat/chat-endpoints.js';
import { unusableReasoning } from '../../gateway/route/affinity/call-origin.js';
import { UpstreamError } from '../../dialects/errors/upstream-error.js';
import { asList, type Fields } from '../../dialects/neutral/fields.js';
import { attemptInBackground, inForeground, isInBackground } from './background-response.js';
import { itemsOf, resumeCall, type Resumable, type ResumedRequest } from './resumed-call.js';
import { keyMarkOf } from '../../gateway/route/key-mark.js';
import { maxStoredBytes, type StoredResponses } from './stored-responses.js';
import { asksForCompaction, summaryDialect, type Sealing } from './summary-dialect.js';

export interface ResponsesDeps extends Resumable {
  readonly responses: Pick<StoredResponses, 'enabled' | 'find' | 'findByItem' | 'keep'>;
}

/** A call with the endpoint that serves it. */
export interface ServedResponses {
  readonly endpoint: Endpoint;
  readonly incoming: IncomingRequest;
}

/**
 * One call of `/v1/responses`. Its body is completed with the conversation that it continues, and its response is
 * stored unless the client sends `store: false`.
 */
export function responsesCall(given: IncomingRequest, deps: ResponsesDeps): ServedResponses {
  const call = resumedCall(given, deps);
  const attempt = async (attempt: Attempt, client: ClientResponse): Promise<AttemptOutcome> => {
    const { body } = attempt.request;
    const { compaction } = attempt.channel.provider.adapter;
    const known = withProof(attempt, call, deps);
    const kept = body['store'] === false ? known : withStore(known, call, deps);
    // A response that is read later by its id would bypass the guardrails.
    const stored = attempt.guard && isInBackground(kept) ? inForeground(kept) : kept;
    if (!asksForCompaction(body['input']) || compaction) {
      const answered = isInBackground(stored)
        ? attemptInBackground(stored, client)
        : attemptChat(stored, responsesDialect, client);
      return answered.catch(readableRefusal);
    }
    // A summary that guardrails check is stored after the check.
    const store = stored.guard && stored.store ? { ...stored.store, keep: () => undefined } : stored.store;
    return attemptChat(unstreamed(stored), summaryDialect('response', { ...call.sealing, store }), client);
  };
  return { incoming: call.incoming, endpoint: { ...resumedEndpoint(responsesEndpoint, call), attempt } };
}

/**
 * One call of `/v1/responses/compact`: the provider's own compaction, or else a summary by the same model. Both are
 * charged as calls.
 */
export function compactionCall(given: IncomingRequest, deps: ResponsesDeps): ServedResponses {
  const call = resumedCall(given, deps);
  const summarized = summaryDialect('compaction', call.sealing);
  const { adapted: _adapted, ...plain } = summarized;
  const own: ChatDialect = { ...plain, native: 'compaction' };
  const attempt = async (attempt: Attempt, client: ClientResponse): Promise<AttemptOutcome> => {
    if (!attempt.channel.provider.adapter.compaction) return attemptChat(attempt, summarized, client);
    try {
      return await attemptChat(attempt, own, client);
    } catch (error) {
      // Many base URLs of channel type 1 are gateways without this path.
      if (!isUnknownPath(error)) throw error;
      return attemptChat(attempt, summarized, client);
    }
  };
  const endpoint = resumedEndpoint({ ...responsesEndpoint, route: 'responses_compact' }, call);
  const parse: Endpoint['parse'] = (opened, incoming) => ({ ...endpoint.parse(opened, incoming), stream: false });
  return { incoming: call.incoming, endpoint: { ...endpoint, parse, attempt } };
}

const isUnknownPath = (error: unknown): boolean =>
  error instanceof UpstreamError && [404, 405, 501].includes(error.status) && error.detail.code !== 'model_not_found';

/** The parts of a call that are known once its body was read. */
interface Resumed {
  readonly incoming: IncomingRequest;
  readonly state: { tokenId: number; resumed: ResumedRequest | null };
  readonly sealing: Sealing;
}

function resumedCall(given: IncomingRequest, deps: ResponsesDeps): Resumed {
  const state: Resumed['state'] = { tokenId: 0, resumed: null };
  const incoming: IncomingRequest = {
    ...given,
    async readBody(allowance) {
      const rawBody = await given.readBody(allowance);
      if (allowance?.tokenId === undefined) return rawBody;
      state.tokenId = allowance.tokenId;
      state.resumed = await resumeCall(rawBody, allowance, deps);
      return state.resumed.rawBody;
    },
  };
  const seal = (summary: string): string => deps.summaries.seal(state.tokenId, summary);
  return { incoming, state, sealing: { id: given.requestId, seal } };
}

/** Returns the endpoint for calls that go to the channel that created their reasoning. */
const resumedEndpoint = (endpoint: Endpoint, { state }: Resumed): Endpoint => ({
  ...endpoint,
  parse(opened, incoming) {
    const parsed = endpoint.parse(opened, incoming);
    const reasoning = state.resumed?.reasoning;
    return reasoning ? { ...parsed, continued: { kind: 'reasoning', ...reasoning } } : parsed;
  },
});

function withStore(attempt: Attempt, { state }: Resumed, { responses }: ResponsesDeps): Attempt {
  const { tokenId, resumed } = state;
  if (!responses.enabled || tokenId === 0) return attempt;
  const origin = { channelId: attempt.channel.id, keyMark: keyMarkOf(attempt.key) };
  const keep = (id: string, response: Fields | null): void => {
    // Writing a body that is too long to be stored would block the event loop.
    if (response && attempt.rawBody.length > maxStoredBytes) return;
    const items = response ? [...itemsOf(attempt.request.body['input']), ...asList(response['output'])] : [];
    responses.keep(tokenId, id, { ...origin, own: response ? { response, items } : null });
  };
  const refuse = (id: string): void => responses.keep(tokenId, id, { ...origin, own: null, refused: true });
  return { ...attempt, store: { previousId: resumed?.previousId ?? null, keep, refuse } };
}

function withProof(attempt: Attempt, { state }: Resumed, { reasoning }: ResponsesDeps): Attempt {
  const { tokenId } = state;
  if (!reasoning.enabled || tokenId === 0) return attempt;
  const origin = { channelId: attempt.channel.id, keyMark: keyMarkOf(attempt.key) };
  return { ...attempt, keepProof: (proof) => reasoning.keep(tokenId, proof, origin) };
}

/**
 * Converts a refusal of reasoning from an unknown account. Only the provider can know that another account created it.
 */
function readableRefusal(error: unknown): never {
  if (error instanceof UpstreamError && error.detail.code === 'invalid_encrypted_content') throw unusableReasoning();
  throw error;
}

/**
 * Returns the attempt without streaming, because a summary is sealed as a whole. A client that asked for a stream gets
 * comments meanwhile.
 */
const unstreamed = (attempt: Attempt): Attempt => ({
  ...attempt,
  channel: { ...attempt.channel, setting: { ...attempt.channel.setting, nonStreamOnly: true } },
});
