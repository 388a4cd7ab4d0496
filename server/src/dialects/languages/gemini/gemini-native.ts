import { AppError } from '../../../shared/errors.js';
import type { ChatAnswer, StreamTransform, Transcript } from '../../contract.js';
import type { UpstreamError } from '../../errors/upstream-error.js';
import { laterUsage, type Usage } from '../../../shared/usage.js';
import { asFields, asFieldsList, parseJson, someText, type Fields } from '../../neutral/fields.js';
import { NativeStream, type NativeListener } from '../../wire/pass-through/native-stream.js';
import { reportAnswer } from '../../neutral/report.js';
import { readGeminiError } from './error.js';
import { readGeminiAnswer } from './gemini-read.js';
import { foreignEnd, GeminiStreamReader } from './gemini-stream-reader.js';
import { moreSearches, noSearches, searchesOf, sumOfSearches, toGeminiUsage } from './gemini-usage.js';

/**
 * A complete response in the client's own dialect: the bytes stay unchanged. A blocked prompt is an ordinary response
 * there; responses of other methods (token counts, embeddings) report no usage.
 * @throws UpstreamError when a success reports an error; AppError UPSTREAM_INVALID_RESPONSE
 */
export function nativeGeminiAnswer(body: Buffer): ChatAnswer {
  const answer = asFields(parseJson(body.toString('utf8')));
  if (!answer) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is not a JSON object');
  const error = readGeminiError(answer);
  if (error) throw error;
  return {
    body,
    usage: nativeGeminiUsage(answer),
    report: (transcript) => {
      if (asFieldsList(answer['candidates']).length > 0) reportAnswer(readGeminiAnswer(answer), transcript);
    },
  };
}

/** Returns the usage of a response; null when it reports none. */
export function nativeGeminiUsage(answer: Fields): Usage | null {
  const candidates = asFieldsList(answer['candidates']);
  return toGeminiUsage(
    answer['usageMetadata'],
    candidates.reduce((sum, candidate) => sum + imagesOf(candidate), 0),
    candidates.map(searchesOf).reduce(sumOfSearches, noSearches),
  );
}

const imagesOf = (candidate: Fields): number =>
  asFieldsList(asFields(candidate['content'])?.['parts']).filter((part) => asFields(part['inlineData'])).length;

/** A Gemini stream for a client of the same dialect. */
export const nativeGeminiStream = (transcript: Transcript): StreamTransform => new GeminiStream(transcript);

const foreignEndEvent = /^data: ?\[DONE\][\r\n]*/m;

/** Google's clients cannot read `foreignEnd`, so it is left out of the end of the stream. */
class GeminiStream extends NativeStream {
  constructor(transcript: Transcript) {
    super(new GeminiListener(), new GeminiStreamReader(), transcript);
  }

  override closing(): Buffer {
    const end = super.closing();
    return end.includes(foreignEnd) ? Buffer.from(end.toString().replace(foreignEndEvent, '')) : end;
  }
}

/** Every event may have usage, from the beginning of the stream; an event with a finish reason ends the stream. */
class GeminiListener implements NativeListener {
  readonly marks = /"(?:usageMetadata|finishReason|error|promptFeedback)"/;
  /** The usage of the events before the last one with usage. */
  private before: Usage | null = null;
  private last: Fields | null = null;
  private images = 0;
  private searches = noSearches;
  complete = false;
  readonly done = false;
  failure: UpstreamError | null = null;

  read(event: Fields): boolean {
    this.failure = readGeminiError(event);
    if (this.failure) return false;
    const reported = asFields(event['usageMetadata']);
    if (reported) {
      this.before = this.usage();
      this.last = reported;
    }
    const candidates = asFieldsList(event['candidates']);
    for (const candidate of candidates) {
      this.images += imagesOf(candidate);
      // Later events repeat the searches of earlier ones.
      this.searches = moreSearches(this.searches, searchesOf(candidate));
    }
    const blocked = someText(asFields(event['promptFeedback'])?.['blockReason']) !== undefined;
    const ends = blocked || candidates.some((candidate) => someText(candidate['finishReason']) !== undefined);
    this.complete ||= ends;
    return ends;
  }

  usage(): Usage | null {
    const last = toGeminiUsage(this.last, this.images, this.searches);
    return last ? laterUsage(this.before, last) : this.before;
  }
}
