import { someText, type Fields } from '../../dialects/neutral/fields.js';
import { CallFailedError } from '../../gateway/send/attempts.js';
import { toCallFailure, type CallFailure } from '../../dialects/errors/failure.js';

/** Limits of an event. The tool schemas of a `session.update` are the largest that clients send. */
export const eventBounds = { maxDepth: 128, maxValues: 50_000 };

/** Returns the failure of a session in the form that its client gets. */
export const failureOf = (error: unknown): CallFailure =>
  error instanceof CallFailedError ? toCallFailure(error.cause, error.view) : toCallFailure(error);

/**
 * Returns an error event (docs/reference/relay/realtime.md).
 * @param event of the client that is refused
 */
export function errorFrame(error: unknown, requestId: string, event?: Fields): string {
  const { message, type, param, code } = failureOf(error);
  return JSON.stringify({
    event_id: `evt_${requestId}`,
    type: 'error',
    error: {
      message: `${message} (request id: ${requestId})`,
      type,
      param,
      code,
      event_id: event && (someText(event['event_id']) ?? null),
    },
  });
}

/** OpenAI's default turn detection. */
const turnDetection = { type: 'server_vad', threshold: 0.5, prefix_padding_ms: 300, silence_duration_ms: 200 };

/**
 * Returns the first event of a transcription session, as OpenAI sends it. Clients wait for it before they name a model.
 * @param expiresAt Unix seconds
 */
export function createdFrame(requestId: string, expiresAt: number, isBeta: boolean): string {
  const session = { id: `sess_${requestId}`, object: 'realtime.transcription_session', expires_at: expiresAt };
  const event_id = `evt_${requestId}`;
  if (isBeta) {
    const input = { input_audio_format: 'pcm16', input_audio_transcription: null, input_audio_noise_reduction: null };
    const old = { ...session, ...input, turn_detection: turnDetection, include: null, client_secret: null };
    return JSON.stringify({ type: 'transcription_session.created', event_id, session: old });
  }
  const format = { type: 'audio/pcm', rate: 24_000 };
  const input = { format, transcription: null, noise_reduction: null, turn_detection: turnDetection };
  const current = { ...session, type: 'transcription', include: null, audio: { input } };
  return JSON.stringify({ type: 'session.created', event_id, session: current });
}
