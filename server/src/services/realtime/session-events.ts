import { asFields, asList, foldedName, someText, type Fields } from '../../dialects/neutral/fields.js';
import { CallFailedError } from '../../gateway/send/attempts.js';
import { toCallFailure, type CallFailure } from '../../dialects/errors/failure.js';
import { malformed } from '../../dialects/errors/relay-error.js';
import { parseJsonBody } from '../../dialects/wire/forms/json-body.js';
import type { Frame } from './socket-pair.js';

/** Limits of an event. The tool schemas of a `session.update` are the largest that clients send. */
export const eventBounds = { maxDepth: 128, maxValues: 50_000 };

/** Bytes before the first one of a JSON text: spaces, byte order marks, and the zeros of UTF-16 and UTF-32. */
const leading: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf, 0xfe, 0xff, 0x00]);
const [openBrace, closeBrace, quote] = [0x7b, 0x7d, 0x22];

/**
 * Whether a frame may be an event: some servers parse binary frames too, in any encoding of Unicode. An object begins with
 * a brace and the quote of its first name; sound rarely does.
 */
export function mayBeEvent({ data, isBinary }: Frame): boolean {
  if (!isBinary) return true;
  const at = skipLeading(data, 0);
  if (data[at] !== openBrace) return false;
  const next = data[skipLeading(data, at + 1)];
  return next === quote || next === closeBrace;
}

function skipLeading(data: Buffer, from: number): number {
  let at = from;
  while (leading.has(data[at])) at++;
  return at;
}

/**
 * Reads an event of the client as strictly as the body of a call.
 * @throws RelayError invalid_request when it is no JSON object, repeats a field, or spells a known one in another case
 */
export function readEvent({ data }: Frame): Fields {
  const event = parseJsonBody(data, eventBounds);
  checkNames(event);
  return event;
}

/** Fields of events that are read here, or that contain such fields. */
const known: ReadonlySet<string> = new Set([
  ...[
    'type',
    'event_id',
    'audio',
    'session',
    'response',
    'item',
    'content',
    'input',
    'output',
    'format',
    'rate',
    'voice',
  ],
  ...['model', 'instructions', 'tools', 'prompt', 'conversation', 'max_output_tokens', 'max_response_output_tokens'],
  ...['turn_detection', 'create_response', 'idle_timeout_ms', 'transcription', 'input_audio_transcription'],
  ...['input_audio_format', 'output_audio_format', 'id', 'file_id', 'vector_store_ids', 'collection_ids'],
]);

function checkNames(fields: Fields): void {
  for (const [name, value] of Object.entries(fields)) {
    if (!known.has(name)) {
      const folded = foldedName(name);
      if (known.has(folded)) throw malformed(`${folded} is spelled in another case`);
      // The names in `variables` and in schemas of tools are the client's own.
      if (name !== 'variables') continue;
      for (const each of Object.values(asFields(value) ?? {})) checkNames(asFields(each) ?? {});
      continue;
    }
    for (const each of [value, ...asList(value)]) checkNames(asFields(each) ?? {});
  }
}

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
