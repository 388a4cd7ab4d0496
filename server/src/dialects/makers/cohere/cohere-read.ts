import { AppError } from '../../../shared/errors.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import { noUsage, type Usage } from '../../../shared/usage.js';
import type { NeutralAnswer } from '../../neutral/answer.js';
import { asFields, asFieldsList, asText, someText, type Fields } from '../../neutral/fields.js';
import type { FinishReason } from '../../neutral/finish-reason.js';
import type { Part } from '../../neutral/message.js';
import { readError } from '../../errors/read-upstream-error.js';
import { toCount } from '../../languages/openai/usage.js';
import { oneAnswer } from '../openai-compatible/own-dialect.js';

const reasons: Readonly<Record<string, FinishReason>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'toolCalls',
  ERROR_TOXIC: 'contentFilter',
};

const failures = new Set(['ERROR', 'TIMEOUT', 'ERROR_LIMIT']);

/** @returns null when the response did not end with a failure */
export const failureOf = (reason: unknown): UpstreamError | null =>
  failures.has(asText(reason))
    ? new UpstreamError(502, {
        message: 'The provider could not finish its response',
        type: 'cohere_error',
        code: asText(reason),
      })
    : null;

/** Converts Cohere's name of a finish reason. */
export const finishOf = (reason: unknown): FinishReason | null =>
  someText(reason) === undefined ? null : (reasons[asText(reason)] ?? 'stop');

/** Billed tokens count, not the tokens the model saw including the provider's own preamble. */
export function toCohereUsage(raw: unknown): Usage | null {
  const usage = asFields(raw);
  for (const reported of [asFields(usage?.['billed_units']), asFields(usage?.['tokens'])]) {
    const promptTokens = toCount(reported?.['input_tokens']);
    const completionTokens = toCount(reported?.['output_tokens']);
    const cachedTokens = Math.min(toCount(usage?.['cached_tokens']), promptTokens);
    if (promptTokens > 0 || completionTokens > 0) return { ...noUsage, promptTokens, completionTokens, cachedTokens };
  }
  return null;
}

/** Empty arguments arrive as `null`. */
export const argumentsOf = (text: string): string => (text === 'null' || text === '' ? '{}' : text);

/** @throws UpstreamError when it reports an error; AppError UPSTREAM_INVALID_RESPONSE when it is not a response */
export function readCohere(body: unknown): NeutralAnswer {
  const answer = asFields(body);
  const message = asFields(answer?.['message']);
  if (!answer || !message) {
    const error = readError(answer);
    if (error) throw new UpstreamError(502, error);
    throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is not a message');
  }
  const failed = failureOf(answer['finish_reason']);
  if (failed) throw failed;
  return oneAnswer(
    { id: asText(answer['id']) },
    readMessage(message),
    finishOf(answer['finish_reason']),
    toCohereUsage(answer['usage']),
  );
}

function readMessage(message: Fields): Part[] {
  const plan = asText(message['tool_plan']);
  return [
    ...(plan === '' ? [] : [{ kind: 'reasoning', text: plan } as const]),
    ...asFieldsList(message['content']).flatMap((part): Part[] => {
      const thought = someText(part['thinking']);
      if (thought !== undefined) return [{ kind: 'reasoning', text: thought }];
      const text = someText(part['text']);
      return text === undefined ? [] : [{ kind: 'text', text }];
    }),
    ...asFieldsList(message['tool_calls']).map((call): Part => {
      const called = asFields(call['function']) ?? {};
      const text = argumentsOf(asText(called['arguments']));
      return { kind: 'toolCall', id: asText(call['id']), name: asText(called['name']), arguments: text };
    }),
  ];
}
