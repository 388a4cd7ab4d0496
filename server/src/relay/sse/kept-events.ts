import type { EventBlock } from './event-blocks.js';

/** A short answer, of some fifty events, stays below and is never read at all. */
const defaultLimit = 18 * 1024;
/** What comes in so many pieces comes slowly, and will be open for long: there is time to read it. */
const maxPieces = 16;

/**
 * Whole events kept unread in case they have to be read after all. Only their text is kept: it is there already, a byte
 * for each byte, while what the network delivered can go.
 */
export class KeptEvents {
  private texts: string[] = [];
  private length = 0;

  constructor(private readonly limit = defaultLimit) {}

  /** @param block whole events @returns true when no more should be kept: they have to be taken now */
  add({ text }: EventBlock): boolean {
    this.texts.push(text);
    this.length += text.length;
    return this.length > this.limit || this.texts.length >= maxPieces;
  }

  /** Everything that was added since the last time. */
  take(): EventBlock | null {
    if (this.length === 0) return null;
    const text = this.texts.join('');
    this.texts = [];
    this.length = 0;
    return { bytes: Buffer.from(text, 'latin1'), text };
  }
}
