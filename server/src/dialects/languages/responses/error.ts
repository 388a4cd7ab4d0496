import type { CallFailure } from '../../errors/failure.js';

/**
 * An error inside a Responses stream; error bodies have the shape of chat. Clients read `error`, older ones the same
 * fields beside it.
 */
export function responsesErrorEvents(failure: CallFailure, requestId: string, sequence = 0): string {
  const { type, param, code } = failure;
  const message = `${failure.message} (request id: ${requestId})`;
  const event = {
    type: 'error',
    sequence_number: sequence,
    code,
    message,
    param,
    error: { type, code, message, param },
  };
  return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
}
