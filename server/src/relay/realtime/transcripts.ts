import { noTranscripts, type Transcripts } from '../../modules/pricing/price-book.service.js';
import { asFields, someText, type Fields } from '../neutral/fields.js';

const completed = 'conversation.item.input_audio_transcription.completed';
/** Sessions that only write speech down had events of their own. */
const sessionEvents: ReadonlySet<unknown> = new Set([
  ...['session.created', 'session.updated', 'transcription_session.created', 'transcription_session.updated'],
]);
/** OpenAI counts a token for 100 ms of the user's audio. */
const tokensOfSecond = 10;
/** No utterance is longer than a session, nor has it more tokens. */
const maxSeconds = 3600;
const maxTokens = 100_000;

/** Follows which model writes down the speech of a session's client, and what it reports. */
export class TranscriptWatch {
  private model: string | null = null;
  /** The session has no model that responds: it only writes speech down. */
  isWholeSession = false;

  /** @returns what another model wrote down, and its name; null for all other events of the provider */
  read(event: Fields): { readonly model: string; readonly transcript: Transcripts } | null {
    const type = event['type'];
    if (sessionEvents.has(type)) {
      const session = asFields(event['session']) ?? {};
      this.model = transcribersIn(session)[0] ?? null;
      this.isWholeSession =
        session['type'] === 'transcription' || session['object'] === 'realtime.transcription_session';
    }
    if (type !== completed || this.model === null) return null;
    const transcript = transcriptOf(asFields(event['usage']));
    return transcript && { model: this.model, transcript };
  }
}

/** The models that a session names. Older ones name it at the top level, newer ones under `audio`. */
export function transcribersIn(session: Fields): string[] {
  const input = asFields(asFields(session['audio'])?.['input']);
  return [session['input_audio_transcription'], input?.['transcription']].flatMap(
    (transcription) => someText(asFields(transcription)?.['model']) ?? [],
  );
}

/** Models report either the length of the audio or its tokens. */
function transcriptOf(usage: Fields | null): Transcripts | null {
  if (!usage) return null;
  const inputTokens = countOf(usage['input_tokens']);
  const details = asFields(usage['input_token_details']) ?? {};
  const audioTokens = Math.min(inputTokens, countOf(details['audio_tokens'] ?? inputTokens));
  const { seconds: reported } = usage;
  const length = typeof reported === 'number' && reported > 0 ? reported : audioTokens / tokensOfSecond;
  const seconds = Number(Math.min(length, maxSeconds).toFixed(3));
  const outputTokens = countOf(usage['output_tokens']);
  return seconds + inputTokens + outputTokens === 0
    ? null
    : { ...noTranscripts, count: 1, seconds, inputTokens, audioTokens, outputTokens };
}

const countOf = (value: unknown): number =>
  typeof value === 'number' && value > 0 ? Math.min(Math.trunc(value), maxTokens) : 0;
