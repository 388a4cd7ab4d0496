import { writeJson } from '../../../shared/exact-json.js';
import type { Usage } from '../../../shared/usage.js';
import { fromUsage, tierOf } from './usage.js';
import { asFieldsList, type Json, type Fields } from '../../neutral/fields.js';

export const doneEvent = 'data: [DONE]\n\n';

export const dataEvent = (value: unknown): string => `data: ${writeJson(value)}\n\n`;

/**
 * The final usage chunk, without choices.
 * @param like any earlier chunk, for its id and model
 */
export const usageChunk = (like: Fields, usage: Usage): string =>
  dataEvent({
    id: like['id'] ?? '',
    object: 'chat.completion.chunk',
    created: like['created'] ?? 0,
    model: like['model'] ?? '',
    choices: [],
    ...tierOf(usage),
    usage: fromUsage(usage),
  });

/** Whether a provider's last report has no output although output is charged. Clients then get the charged usage. */
export const isShort = (report: Usage, charged: Usage): boolean =>
  report.completionTokens === 0 && charged.completionTokens > 0;

/**
 * A complete response as one chunk, for clients that asked for a stream from a channel that cannot stream
 * (docs/reference/relay/routing.md#per-channel-settings). Contains every field of the message: text, reasoning, tool
 * calls and unknown fields.
 */
export function answerAsChunk(answer: Fields): string {
  const choices = asFieldsList(answer['choices']);
  const { usage: _usage, ...rest } = answer;
  return dataEvent({
    ...rest,
    object: 'chat.completion.chunk',
    choices: choices.map((choice, position) => {
      const { message, ...others } = choice;
      return { ...others, index: choice['index'] ?? position, delta: toDelta(message) };
    }),
  });
}

function toDelta(message: unknown): Json {
  const fields = typeof message === 'object' && message !== null ? { ...(message as Json) } : {};
  const calls = fields['tool_calls'];
  // Streamed tool calls are distinguished by index; complete ones have none.
  if (Array.isArray(calls)) {
    fields['tool_calls'] = calls.map((call: Json, position) => ({ index: position, ...call }));
  }
  return { role: 'assistant', ...fields };
}
