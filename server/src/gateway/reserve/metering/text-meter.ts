import type { Transcript } from '../../../dialects/contract.js';
import { noUsage, type Usage } from '../../../shared/usage.js';
import type { Fields } from '../../../dialects/neutral/fields.js';

/** Above this many characters, text is counted and dropped, except for its last words. */
const countAt = 8 * 1024;
/**
 * Characters. The limit for slow streams. Most providers report usage at the end, which makes early counting
 * unnecessary, but each of thousands of slow streams would hold the text above.
 */
const slowCountAt = 1024;
const slowMilliseconds = 20_000;
/** Stream chunks contain a word or less. This many are joined, because each string costs more memory than its text. */
const joinAt = 64;
/**
 * Characters. V8 may represent a chunk of at least this length as a slice of the buffer it was read with, which keeps
 * that buffer alive until chunks are joined.
 */
const windowLength = 13;
/** Characters. While the encoding is loading, text up to this length waits. Longer text is estimated. */
const waitAtMost = 64 * 1024;
const tokensPerToolCall = 7;

/**
 * Counts the output of a call as it arrives, in bounded memory. A long text is cut at a space, which does not change
 * the count; a text without spaces is cut anywhere, which can add one token per cut.
 */
export class TextMeter implements Transcript {
  private readonly encoding: EncodingName;
  private pending = '';
  /** Chunks received after `pending`. */
  private pieces: string[] = [];
  private length = 0;
  private counted = 0;
  private toolCalls = 0;
  private other = false;
  private anyText = false;
  private kept = '';
  private countedAt = performance.now();

  /** @param keep number of characters to retain for the log; 0 for none */
  constructor(
    model: string,
    private readonly keep = 0,
  ) {
    this.encoding = encodingOf(model);
  }

  text(text: string): void {
    this.pieces.push(text);
    this.length += text.length;
    if (this.pieces.length >= (text.length < windowLength ? joinAt : 2)) {
      this.join();
      if (this.length > slowCountAt && performance.now() - this.countedAt > slowMilliseconds) this.countPending();
    }
    if (!this.anyText && text.trim() !== '') this.anyText = true;
    if (this.kept.length < this.keep) this.kept += text.slice(0, this.keep - this.kept.length);
    if (this.length > countAt) this.countPending();
  }

  toolCall(): void {
    this.toolCalls++;
  }

  otherContent(): void {
    this.other = true;
  }

  /**
   * False for a response without text, tool call or other output. Such a response is free
   * (docs/reference/relay/billing.md#usage).
   */
  get hasOutput(): boolean {
    return this.anyText || this.toolCalls > 0 || this.other;
  }

  get transcript(): string {
    return this.kept;
  }

  /** Loads the encoding, so that `exceeds` counts from the first word on. */
  async prepare(): Promise<void> {
    await loadEncoding(this.encoding).catch(() => undefined);
  }

  /** Whether the output has more tokens than `limit`. Tokens are counted only when the limit can have been exceeded. */
  exceeds(limit: number): boolean {
    // A character has three bytes at most, and a byte is one token at most.
    if (this.counted + this.toolCalls * tokensPerToolCall + 3 * this.length <= limit) return false;
    if (this.length > 0) this.countPending();
    return this.countedSoFar > limit;
  }

  /** Tokens of the text that has been counted so far. */
  get countedSoFar(): number {
    return this.counted + this.toolCalls * tokensPerToolCall;
  }

  /** Tokens of all output, plus 7 per tool call. */
  async tokens(): Promise<number> {
    if (this.length > 0) {
      const text = this.take();
      try {
        const count = await loadEncoding(this.encoding);
        this.counted += count(text);
      } catch {
        this.counted += estimateTokens(Buffer.byteLength(text));
      }
    }
    return this.counted + this.toolCalls * tokensPerToolCall;
  }

  private countPending(): void {
    const count = loadedEncoding(this.encoding);
    if (!count && this.length <= waitAtMost) {
      loadEncoding(this.encoding).catch(() => undefined);
      return;
    }
    const text = this.take();
    this.countedAt = performance.now();
    if (!count) {
      this.counted += estimateTokens(Buffer.byteLength(text));
      return;
    }
    const end = lastCut(text);
    this.counted += count(text.slice(0, end));
    this.pieces.push(text.slice(end));
    this.length = text.length - end;
  }

  private join(): void {
    this.pending += this.pieces.join('');
    this.pieces = [];
  }

  private take(): string {
    this.join();
    const text = this.pending;
    this.pending = '';
    this.length = 0;
    return text;
  }
}

const between = /(?<=\p{L}) (?=\p{L})/gu;
const searched = 256;

/**
 * @returns the position before the space between the last two words, where every encoding begins a new token; the end
 * if there is none
 */
function lastCut(text: string): number {
  const from = Math.max(0, text.length - searched);
  const last = [...text.slice(from).matchAll(between)].at(-1);
  return last ? from + last.index : text.length;
}

/** The inputs of `finalUsage`. */
export interface Metered {
  /** Usage reported by the provider. */
  readonly reported: Usage | null;
  /** False if the client disconnected or the provider's response broke off. */
  readonly complete: boolean;
  readonly clientGone: boolean;
  readonly meter: TextMeter;
  /** Passes the received content to the meter. Called only if it has to be counted. */
  readonly report: () => void;
  /** Counts the prompt tokens here. */
  readonly countPrompt: () => Promise<number>;
  /** The minimum of output tokens to charge, because the provider may bill output that it did not show. */
  readonly hiddenOutput?: number;
}

/**
 * Decides the charged usage of a call (docs/reference/relay/billing.md#usage and
 * docs/reference/relay/guarantees.md#money).
 * - Complete response: the provider's report, else our own count; nothing for an empty response. A reported output of 0 is
 *   replaced by our own count of the output, which is 0 for an empty response. A reported prompt of 0 is replaced in the
 *   same way, if there is output.
 * - The client left: the larger of report and own count, including the prompt even if nothing had arrived yet, and what
 *   was reserved for hidden output.
 * - The provider's response broke off: the same, but nothing if nothing had arrived.
 */
export async function finalUsage(call: Metered): Promise<Usage> {
  if (call.complete && call.reported && isWhole(call.reported)) return call.reported;
  call.report();
  if (!call.meter.hasOutput && !call.clientGone) return call.reported ?? noUsage;
  if (call.complete && call.reported) {
    const promptTokens = call.reported.promptTokens || (await call.countPrompt());
    const completionTokens = call.reported.completionTokens || (await call.meter.tokens());
    const isSame = promptTokens === call.reported.promptTokens && completionTokens === call.reported.completionTokens;
    return isSame ? call.reported : { ...call.reported, promptTokens, completionTokens };
  }
  const counted: Usage = {
    ...noUsage,
    promptTokens: await call.countPrompt(),
    completionTokens: Math.max(await call.meter.tokens(), call.hiddenOutput ?? 0),
  };
  return call.reported ? larger(call.reported, counted) : counted;
}

/**
 * Whether a report counts both the prompt and the output. Some servers report 0 for a cached prompt:
 * https://github.com/ollama/ollama/issues/5370.
 */
export const isWhole = ({ promptTokens, completionTokens, details }: Usage): boolean =>
  completionTokens > 0 && (promptTokens > 0 || details?.isTotal === true);

/** Returns the larger of two usages. Images that a tool drew are kept, because they are not counted here. */
function larger(reported: Usage, counted: Usage): Usage {
  const drawn = reported.details?.drawn?.completionTokens ?? 0;
  return {
    ...reported,
    promptTokens: Math.max(reported.promptTokens, counted.promptTokens),
    completionTokens: Math.max(reported.completionTokens, counted.completionTokens + drawn),
  };
}

/** Counts the tokens of a text. Special-token names in it are ordinary text. */
export type CountTokens = (text: string) => number;

export type EncodingName = 'o200k' | 'cl100k';

const newerModels = /^(?:gpt-4o|chatgpt-4o|gpt-4\.1|gpt-4\.5|gpt-5|o1|o3|o4|gpt-oss)/;

/**
 * Returns the encoding of a model (docs/reference/relay/token-counting.md#tokenizer). Models that are not of OpenAI,
 * including Claude and Gemini, use the older encoding.
 */
export const encodingOf = (model: string): EncodingName => (newerModels.test(model) ? 'o200k' : 'cl100k');

/** Characters. Encoding an unbroken run takes quadratic time; cutting it adds at most one token per cut. */
const maxRun = 1024;
const loaded = new Map<EncodingName, CountTokens>();
const loading = new Map<EncodingName, Promise<CountTokens>>();

/** Returns null until `loadEncoding` has resolved: the tables are large, and most calls need none. */
export const loadedEncoding = (name: EncodingName): CountTokens | null => loaded.get(name) ?? null;

/** Loads the tables of an encoding once. */
export function loadEncoding(name: EncodingName): Promise<CountTokens> {
  const known = loading.get(name);
  if (known) return known;
  const promise = importEncoding(name).then((count) => {
    loaded.set(name, count);
    return count;
  });
  loading.set(name, promise);
  promise.catch(() => loading.delete(name));
  return promise;
}

async function importEncoding(name: EncodingName): Promise<CountTokens> {
  const { countTokens } =
    name === 'o200k'
      ? await import('gpt-tokenizer/encoding/o200k_base')
      : await import('gpt-tokenizer/encoding/cl100k_base');
  // Without this option, a text that contains the name of a special token would throw.
  const options = { disallowedSpecial: new Set<string>() };
  return (text) => {
    let total = 0;
    for (const piece of withoutLongRuns(text)) total += countTokens(piece, options);
    return total;
  };
}

/** Returns the text itself, or pieces of it in which no run of spaces or of other characters exceeds the limit. */
export function withoutLongRuns(text: string): string[] {
  if (text.length <= maxRun) return [text];
  const pieces: string[] = [];
  let from = 0;
  let runStart = 0;
  let blanks = isBlank(text.charCodeAt(0));
  for (let at = 1; at < text.length; at++) {
    const blank = isBlank(text.charCodeAt(at));
    if (blank !== blanks) {
      blanks = blank;
      runStart = at;
    } else if (at - runStart >= maxRun && !isLowSurrogate(text.charCodeAt(at))) {
      pieces.push(text.slice(from, at));
      from = at;
      runStart = at;
    }
  }
  pieces.push(text.slice(from));
  return pieces;
}

const isBlank = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0;
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/**
 * Estimates tokens when exact counting is too expensive. The result is never too low for prose.
 * @param byteLength bytes of UTF-8
 */
export const estimateTokens = (byteLength: number): number => Math.ceil(byteLength / 3);

/** Fields that contain encoded images, audio and files instead of text. */
const media = new Set([
  'data',
  'image_url',
  'file_data',
  'b64_json',
  'url',
  'signature',
  'thoughtSignature',
  'encrypted_content',
]);
/** Bodies that are nested more deeply are refused. */
const maxDepth = 128;

/** Whether the text of a field is left out. */
type IsLeftOut = (fields: Fields, name: string) => boolean;

// A document of Anthropic may be plain text in place of base64.
export const isMedia: IsLeftOut = (fields, name) => media.has(name) && !(name === 'data' && fields['type'] === 'text');

/**
 * Returns all text in a value, for any dialect, as input for the list of blocked words and for estimates. The result
 * includes at least everything the user wrote, also names of roles and types, but no media.
 */
export function textsIn(value: unknown, isLeftOut = isMedia): string[] {
  const texts: string[] = [];
  collect(value, texts, isLeftOut, 0);
  return texts;
}

function collect(value: unknown, texts: string[], isLeftOut: IsLeftOut, depth: number): void {
  if (typeof value === 'string') {
    if (value !== '') texts.push(value);
    return;
  }
  if (typeof value !== 'object' || value === null || depth > maxDepth) return;
  if (Array.isArray(value)) {
    for (const entry of value as unknown[]) collect(entry, texts, isLeftOut, depth + 1);
    return;
  }
  const fields = value as Fields;
  // A Responses item whose `result` is an image.
  const isDrawn = fields['type'] === 'image_generation_call';
  for (const name in fields) {
    if (!isLeftOut(fields, name) && !(isDrawn && name === 'result')) collect(fields[name], texts, isLeftOut, depth + 1);
  }
}
