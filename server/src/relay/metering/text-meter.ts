import type { Transcript } from '../adapter.js';
import { encodingOf, estimateTokens, loadedEncoding, loadEncoding, type EncodingName } from './tokenizer.js';

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
  get heardAnything(): boolean {
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
