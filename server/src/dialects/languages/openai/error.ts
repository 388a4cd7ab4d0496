import type { CallFailure } from '../../errors/failure.js';

/**
 * Returns `{"error": {message, type, param, code}}`, always with all four keys. The request id ends the message. The
 * error of a used-up budget has `reset_at` in Unix seconds in addition.
 */
export function openAIErrorBody(failure: CallFailure, requestId: string): string {
  const { type, param, code, resetAt } = failure;
  const message = `${failure.message} (request id: ${requestId})`;
  return JSON.stringify({ error: { message, type, param, code, reset_at: resetAt } });
}

/**
 * Returns the error inside a stream, followed by the end marker that clients expect
 * (docs/reference/relay/errors.md#errors-inside-a-stream).
 */
export const openAIErrorEvents = (failure: CallFailure, requestId: string): string =>
  `data: ${openAIErrorBody(failure, requestId)}\n\ndata: [DONE]\n\n`;
