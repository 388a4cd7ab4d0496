import type { EventBlock } from './event-blocks.js';

/** A short answer, of some fifty events, stays below and is never read at all. */
const defaultLimit = 18 * 1024;
const firstSize = 1024;

/**
 * Whole events kept unread in case they have to be read after all. Their bytes are copied one behind the other, so that a
 * stream which stays open for minutes holds one buffer, and what the network delivered dies young.
 */
export class KeptEvents {
  private bytes: Buffer | null = null;
  private length = 0;

  constructor(private readonly limit = defaultLimit) {}

  /** @param block whole events @returns true when no more should be kept: they have to be taken now */
  add(block: Buffer): boolean {
    const needed = this.length + block.length;
    if (!this.bytes || needed > this.bytes.length) this.grow(needed);
    this.bytes?.set(block, this.length);
    this.length = needed;
    return needed > this.limit;
  }

  /** Everything that was added since the last time. */
  take(): EventBlock | null {
    if (!this.bytes || this.length === 0) return null;
    const bytes = this.bytes.subarray(0, this.length);
    this.bytes = null;
    this.length = 0;
    return { bytes, text: bytes.toString('latin1') };
  }

  private grow(needed: number): void {
    const size = Math.max(firstSize, needed, Math.min(2 * (this.bytes?.length ?? 0), this.limit));
    const larger = Buffer.allocUnsafeSlow(size);
    if (this.bytes) larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
}
