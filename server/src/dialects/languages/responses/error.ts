import type { CallFailure } from '../../errors/failure.js';

/**
 * An error inside a Responses stream; error bodies have the shape of chat. Clients read `error`, older ones the same
 * fields beside it.
 */
export function responsesErrorEvents(failure: CallFailure, requestId: string, sequence = 0): string {
  const { type, param, code, overflow } = failure;
  const message = `${failure.message} (request id: ${requestId})`;
  if (overflow) return failedEvent({ code, message }, requestId, sequence);
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

/** Codex compacts its conversation only at this event. */
function failedEvent(error: object, requestId: string, sequence: number): string {
  const response = { id: `resp_${requestId}`, object: 'response', status: 'failed', error, output: [], usage: null };
  const event = { type: 'response.failed', sequence_number: sequence, response };
  return `event: response.failed\ndata: ${JSON.stringify(event)}\n\n`;
}
