import type { EventBlock } from './event-blocks.js';

/** Limit in characters. A short response of about fifty events stays below it and is never parsed. */
const defaultLimit = 18 * 1024;
/** Maximum number of pieces. Many pieces mean a slow stream that stays open for long, so there is time to parse it. */
const maxPieces = 8;

/**
 * Keeps complete events unparsed in case they have to be parsed later. Only their text is kept, which exists already at
 * one byte per character, so that network buffers can be freed.
 */
export class KeptEvents {
  private texts: string[] = [];
  private length = 0;

  constructor(private readonly limit = defaultLimit) {}

  /**
   * @param block complete events
   * @returns true when no more should be kept: call `take` now
   */
  add({ text }: EventBlock): boolean {
    this.texts.push(text);
    this.length += text.length;
    return this.length > this.limit || this.texts.length >= maxPieces;
  }

  /** Returns every event that was added since the last call. */
  take(): EventBlock | null {
    if (this.length === 0) return null;
    const text = this.texts.join('');
    this.texts = [];
    this.length = 0;
    return { bytes: Buffer.from(text, 'latin1'), text };
  }
}
