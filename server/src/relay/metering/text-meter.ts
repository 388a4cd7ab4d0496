import type { Transcript } from '../adapter.js';
import { encodingOf, estimateTokens, loadedEncoding, loadEncoding, type EncodingName } from './tokenizer.js';

/** Text is counted and dropped beyond this many characters. */
const countAt = 16 * 1024;
/** While the encoding is still loading, text waits up to this length and is estimated then. */
const waitAtMost = 64 * 1024;
const tokensPerToolCall = 7;

/**
 * Counts what a call produced as it comes, in bounded memory. The parts of a text that are counted separately can each
 * add one token; a whole answer below 16 KB is counted exactly.
 */
export class TextMeter implements Transcript {
  private readonly encoding: EncodingName;
  private pending = '';
  private counted = 0;
  private toolCalls = 0;
  private other = false;
  private anyText = false;
  private kept = '';

  /** @param keep how many characters to keep readable for the log, 0 for none */
  constructor(
    model: string,
    private readonly keep = 0,
  ) {
    this.encoding = encodingOf(model);
  }

  text(text: string): void {
    this.pending += text;
    if (!this.anyText && text.trim() !== '') this.anyText = true;
    if (this.kept.length < this.keep) this.kept += text.slice(0, this.keep - this.kept.length);
    if (this.pending.length > countAt) this.countPending();
  }

  toolCall(): void {
    this.toolCalls++;
  }

  otherContent(): void {
    this.other = true;
  }

  /** False for an answer without text, tool call or anything else: it is free (`relay-core.md` 4.4). */
  get heardAnything(): boolean {
    return this.anyText || this.toolCalls > 0 || this.other;
  }

  get transcript(): string {
    return this.kept;
  }

  /** Tokens of everything heard, and 7 for each tool call. */
  async tokens(): Promise<number> {
    if (this.pending !== '') {
      try {
        const count = await loadEncoding(this.encoding);
        this.counted += count(this.pending);
      } catch {
        this.counted += estimateTokens(Buffer.byteLength(this.pending));
      }
      this.pending = '';
    }
    return this.counted + this.toolCalls * tokensPerToolCall;
  }

  private countPending(): void {
    const count = loadedEncoding(this.encoding);
    if (count) this.counted += count(this.pending);
    else if (this.pending.length > waitAtMost) this.counted += estimateTokens(Buffer.byteLength(this.pending));
    else {
      loadEncoding(this.encoding).catch(() => undefined);
      return;
    }
    this.pending = '';
  }
}
