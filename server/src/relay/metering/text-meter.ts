import type { Transcript } from '../adapter.js';
import { noUsage, type Usage } from '../usage.js';

/** Text is counted and dropped beyond this many characters, but for its last words. */
const countAt = 8 * 1024;
/**
 * A stream that takes its time is counted on the way from this many characters on, where one that comes at once is not:
 * most tell their usage at the end, and then counting was for nothing, but thousands of slow ones would each hold the above.
 */
const slowCountAt = 1024;
const slowMilliseconds = 20_000;
/** Pieces of a stream are a word or less: so many are put together, or each would weigh more than what it says. */
const joinAt = 64;
/** A piece as long as this may be a window on all that it was read with (V8) and keep that alive, until it is put together with another. */
const windowLength = 13;
/** While the encoding is still loading, text waits up to this length and is estimated then. */
const waitAtMost = 64 * 1024;
const tokensPerToolCall = 7;

/**
 * Counts what a call produced as it comes, in bounded memory. Where a long text has blanks between its words it is cut
 * there, which counts the same; elsewhere the parts that are counted separately can each add one token.
 */
export class TextMeter implements Transcript {
  private readonly encoding: EncodingName;
  private pending = '';
  /** What came after `pending`. */
  private pieces: string[] = [];
  private length = 0;
  private counted = 0;
  private toolCalls = 0;
  private other = false;
  private anyText = false;
  private kept = '';
  private countedAt = performance.now();

  /** @param keep how many characters to keep readable for the log, 0 for none */
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
   * False for an answer without text, tool call or anything else: it is free (docs/reference/relay/billing.md#usage).
   */
  get hasOutput(): boolean {
    return this.anyText || this.toolCalls > 0 || this.other;
  }

  get transcript(): string {
    return this.kept;
  }

  /** Tokens of everything heard, and 7 for each tool call. */
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

/** @returns before the blank between the last two words, where every encoding begins a new token; else the end */
function lastCut(text: string): number {
  const from = Math.max(0, text.length - searched);
  const last = [...text.slice(from).matchAll(between)].at(-1);
  return last ? from + last.index : text.length;
}

export interface Metered {
  /** The provider's own report. */
  readonly reported: Usage | null;
  /** False: the client left, or the upstream broke off. */
  readonly complete: boolean;
  readonly clientGone: boolean;
  readonly meter: TextMeter;
  /** Tells the meter what was received; called only when that is needed. */
  readonly report: () => void;
  /** Prompt tokens by our own count. */
  readonly countPrompt: () => Promise<number>;
}

/**
 * The one rule of what a call used (docs/reference/relay/billing.md#usage and
 * docs/reference/relay/guarantees.md#money).
 * - A complete answer: what the provider reports; else our own count; nothing for an answer that says nothing.
 * - A client that left: the larger of report and own count, the prompt included even when nothing had come yet.
 * - An upstream that broke off: the same, but nothing when nothing had come.
 */
export async function finalUsage(call: Metered): Promise<Usage> {
  if (call.complete && call.reported) return call.reported;
  call.report();
  if (!call.meter.hasOutput && !call.clientGone) return call.reported ?? noUsage;
  const counted: Usage = {
    ...noUsage,
    promptTokens: await call.countPrompt(),
    completionTokens: await call.meter.tokens(),
  };
  return call.reported ? larger(call.reported, counted) : counted;
}

const larger = (reported: Usage, counted: Usage): Usage => ({
  ...reported,
  promptTokens: Math.max(reported.promptTokens, counted.promptTokens),
  completionTokens: Math.max(reported.completionTokens, counted.completionTokens),
});

/** Counts the tokens of a text. Special-token names in it are ordinary text. */
export type CountTokens = (text: string) => number;

export type EncodingName = 'o200k' | 'cl100k';

const newerModels = /^(?:gpt-4o|chatgpt-4o|gpt-4\.1|gpt-4\.5|gpt-5|o1|o3|o4|gpt-oss)/;

/**
 * docs/reference/relay/token-counting.md#tokenizer: every other model counts by the older encoding, Claude and Gemini
 * too.
 */
export const encodingOf = (model: string): EncodingName => (newerModels.test(model) ? 'o200k' : 'cl100k');

/** One unbroken run costs the square of its length; cut, it costs little and counts at most one token more a cut. */
const maxRun = 1024;
const loaded = new Map<EncodingName, CountTokens>();
const loading = new Map<EncodingName, Promise<CountTokens>>();

/** Null until `loadEncoding` is through: the tables are large and most calls never need them. */
export const loadedEncoding = (name: EncodingName): CountTokens | null => loaded.get(name) ?? null;

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
  // Without this a text that names a special token would throw.
  const options = { disallowedSpecial: new Set<string>() };
  return (text) => {
    let total = 0;
    for (const piece of withoutLongRuns(text)) total += countTokens(piece, options);
    return total;
  };
}

/** The text itself, or pieces of it in which no run of blanks or of anything else is longer than the limit. */
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

/** The rule of thumb where counting is not worth it: never too low for prose, cheap for anything. */
export const estimateTokens = (byteLength: number): number => Math.ceil(byteLength / 3);
