import type { AnswerContext } from '../../neutral/codec.js';
import { type FinishReason, fromFinishReason } from '../../neutral/finish-reason.js';
import type { Json } from '../../neutral/fields.js';

/** Generates ids for the items of one response, derived from the response's id, so that they are unique. */
export class ItemIds {
  private count = 0;

  constructor(private readonly base: string) {}

  next(prefix: string): string {
    return `${prefix}_${this.base}_${this.count++}`;
  }
}

/**
 * Returns the request id that is part of an id of `ItemIds`.
 * @returns null for ids of providers
 */
export const requestIdOf = (id: unknown): string | null =>
  typeof id === 'string' ? (/^[a-z]+_(\d{23}[0-9A-Za-z]{8})_\d+$/.exec(id)?.[1] ?? null) : null;

export const isMadeId = (id: unknown): boolean => requestIdOf(id) !== null;

/**
 * Returns the id of a response: the provider's if the provider made a Responses object, or else one of this server. Ids
 * of other dialects are not unique (Ollama draws one of 999), and a conversation that continues by such an id could be
 * another client's.
 */
export const responseId = (id: string, context: AnswerContext): string =>
  id.startsWith('resp_') ? id : `resp_${context.id}`;

/**
 * The response object, which repeats the client's request. `store` says whether the response can be continued by
 * its id.
 */
export function responseObject(
  head: { id: string; created: number; model: string },
  context: AnswerContext,
  state: Json,
): Json {
  const { body } = context;
  const given = (name: string, otherwise: unknown): unknown => body[name] ?? otherwise;
  return {
    id: head.id,
    object: 'response',
    created_at: head.created,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: given('instructions', null),
    max_output_tokens: given('max_output_tokens', null),
    model: head.model,
    output: [],
    parallel_tool_calls: given('parallel_tool_calls', true),
    previous_response_id: context.store?.previousId ?? null,
    reasoning: given('reasoning', { effort: null, summary: null }),
    store: context.store !== undefined,
    temperature: given('temperature', 1),
    text: given('text', { format: { type: 'text' } }),
    tool_choice: given('tool_choice', 'auto'),
    tools: given('tools', []),
    top_p: given('top_p', 1),
    truncation: given('truncation', 'disabled'),
    usage: null,
    user: given('user', null),
    metadata: given('metadata', {}),
    ...state,
  };
}

/** Status and details of a finish reason. */
export const statusOf = (finish: FinishReason): Json =>
  finish === 'length' || finish === 'contentFilter'
    ? { status: 'incomplete', incomplete_details: { reason: fromFinishReason(finish, 'openai-responses') } }
    : { status: 'completed', incomplete_details: null };
