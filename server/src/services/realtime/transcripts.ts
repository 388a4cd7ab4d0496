import { noTranscripts, type Transcripts } from '../../billing/prices/index.js';
import { noAudio, type ChargedAudio } from './session-price.js';
import { asFields, someText, type Fields } from '../../dialects/neutral/fields.js';

const prefix = 'conversation.item.input_audio_transcription';
const completed = `${prefix}.completed`;
/** Events of a session. Transcription sessions once had events of their own. */
const sessionEvents: ReadonlySet<unknown> = new Set([
  ...['session.created', 'session.updated', 'transcription_session.created', 'transcription_session.updated'],
]);
/** The first event of a session, in both versions of the API. */
export const createdEvents: ReadonlySet<unknown> = new Set(['session.created', 'transcription_session.created']);
/** Tokens per second of audio: OpenAI counts one token per 100 ms. */
const tokensOfSecond = 10;
/** Seconds. No utterance is longer than a session, or has more tokens. */
const maxSeconds = 3600;
const maxTokens = 100_000;

/** Maximum number of utterances whose text may have begun at the same time. */
const maxBegun = 100;
/** Characters of text per token. */
const charactersOfToken = 4;

/** Speech that a model transcribed. */
export interface Transcribed {
  readonly model: string;
  readonly transcript: Transcripts;
}

/** Tracks which model transcribes the speech of a session's client, and its reports. */
export class TranscriptWatch {
  private model: string | null;
  /** Whether the session has no model that responds and only transcribes speech. */
  isWholeSession: boolean;
  /** Number of characters that the client has received of incomplete utterances, by item. */
  private readonly begun = new Map<unknown, number>();

  /** @param own the model of a transcription session; null when the provider names the transcription model */
  constructor(private readonly own: string | null) {
    this.model = own;
    this.isWholeSession = own !== null;
  }

  /**
   * Reads an event of the provider.
   * @param sent seconds of audio that the client sent since the last transcript
   * @returns the transcript and the name of its model; null for all other events
   */
  read(event: Fields, sent: number): Transcribed | null {
    const type = event['type'];
    if (this.own === null && sessionEvents.has(type)) {
      const session = asFields(event['session']) ?? {};
      this.model = transcribersIn(session)[0] ?? null;
      this.isWholeSession = onlyWritesDown(session);
    }
    if (this.isWholeSession) this.follow(type, event);
    if (type !== completed || this.model === null) return null;
    const reported = transcriptOf(asFields(event['usage']));
    const text = event['transcript'];
    const transcript =
      reported ?? (this.isWholeSession && typeof text === 'string' ? estimated(sent, text.length) : null);
    return transcript && { model: this.model, transcript };
  }

  private follow(type: unknown, { item_id: item, delta }: Fields): void {
    if (type === completed || type === `${prefix}.failed`) this.begun.delete(item);
    else if (
      type === `${prefix}.delta` &&
      typeof delta === 'string' &&
      (this.begun.has(item) || this.begun.size < maxBegun)
    )
      this.begun.set(item, (this.begun.get(item) ?? 0) + delta.length);
  }

  /**
   * Returns the utterance that the client has received in part, when no report will arrive. Otherwise its text could be
   * read for free by disconnecting before its end.
   * @param seconds of audio that the client sent since the last report
   * @returns null when every text that began has its report
   */
  unfinished(seconds: number): Transcribed | null {
    let characters = 0;
    for (const count of this.begun.values()) characters += count;
    const transcript = estimated(seconds, characters);
    return transcript && this.model !== null ? { model: this.model, transcript } : null;
  }
}

/** Estimates the usage of a transcript without a report; null without a text, or without audio. */
function estimated(sent: number, characters: number): Transcripts | null {
  if (characters === 0 || sent === 0) return null;
  const audioTokens = Math.ceil(sent * tokensOfSecond);
  const outputTokens = Math.ceil(characters / charactersOfToken);
  const seconds = Number(Math.min(sent, maxSeconds).toFixed(3));
  return { ...noTranscripts, count: 1, seconds, inputTokens: audioTokens, audioTokens, outputTokens };
}

/** Whether a session has no model that responds. */
export const onlyWritesDown = ({ type, object }: Fields): boolean =>
  type === 'transcription' || object === 'realtime.transcription_session';

/** Paths of the transcription model. Older sessions name it at the top level, newer ones under `audio`. */
export const transcriberPaths: ReadonlyArray<readonly string[]> = [
  ['input_audio_transcription'],
  ['audio', 'input', 'transcription'],
];

/** Returns the transcription models that a session names. */
export const transcribersIn = (session: Fields): string[] =>
  transcriberPaths.flatMap((path) => {
    const found = path.reduce<Fields | null>((fields, name) => asFields(fields?.[name]), session);
    return someText(found?.['model']) ?? [];
  });

/**
 * Returns the tokens of a transcript as a turn. If the model reports only the length, the tokens are estimated as
 * OpenAI counts them.
 */
export function responseOfTranscript({ seconds, inputTokens, audioTokens, outputTokens }: Transcripts): ChargedAudio {
  const isTimed = inputTokens + outputTokens === 0;
  return {
    ...noAudio,
    textInputTokens: inputTokens - audioTokens,
    textOutputTokens: outputTokens,
    audioInputTokens: isTimed ? Math.ceil(seconds * tokensOfSecond) : audioTokens,
  };
}

/** Reads a usage report. Models report either the length of the audio or its tokens. */
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
