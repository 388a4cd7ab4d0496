import type { CallFailure } from '../../errors/failure.js';

/** `{"error": {message, type, param, code}}`, always with all four keys; the request id ends the message. */
export function openAIErrorBody(failure: CallFailure, requestId: string): string {
  const { type, param, code } = failure;
  return JSON.stringify({ error: { message: `${failure.message} (request id: ${requestId})`, type, param, code } });
}

/**
 * The same inside a stream, followed by the end marker that clients expect
 * (docs/reference/relay/errors.md#errors-inside-a-stream).
 */
export const openAIErrorEvents = (failure: CallFailure, requestId: string): string =>
  `data: ${openAIErrorBody(failure, requestId)}\n\ndata: [DONE]\n\n`;
