import { LRUCache } from 'lru-cache';
import { getHeapStatistics } from 'node:v8';
import { writeJson } from './exact-json.js';

/** Characters. Shorter texts are written faster than they are looked up. */
const shortText = 1024;
/** Characters. V8 hashes a text of more than 16,383 by its length alone, so all texts of one length would collide. */
const pieceLength = 16_000;
/** Characters of new texts that one value may add: a large one must not displace those of all conversations. */
const maxAdded = 1024 * 1024;
/** A value that consists of more values is written faster as a whole. */
const maxValues = 20_000;
const keptMilliseconds = 10 * 60_000;

/** The bytes of texts by the text, without quotes. */
const known = new LRUCache<string, Buffer>({
  maxSize: Math.min(64 * 1024 * 1024, getHeapStatistics().heap_size_limit / 32),
  sizeCalculation: (bytes, text) => bytes.length + text.length,
});
setInterval(() => known.clear(), keptMilliseconds).unref();

/**
 * Writes the bytes of `writeJson`, for a value whose texts were mostly written before: their bytes are kept for some
 * minutes. Half of a surrogate pair may be written as an escape, which is read as the same text.
 */
export const writeRepeated = (value: unknown): Buffer =>
  new RepeatedWriter().write(value) ?? Buffer.from(writeJson(value));

class RepeatedWriter {
  private readonly pieces: Buffer[] = [];
  /** The text behind the pieces. */
  private text = '';
  private added = 0;
  private values = 0;

  /** @returns null for a value that consists of too many */
  write(value: unknown): Buffer | null {
    this.add(value);
    if (this.values > maxValues) return null;
    this.pieces.push(Buffer.from(this.text));
    return Buffer.concat(this.pieces);
  }

  private add(value: unknown): void {
    if (this.values++ > maxValues) return;
    if (typeof value === 'string') this.addText(value);
    else if (Array.isArray(value)) this.addList(value);
    else if (typeof value === 'object' && value !== null) this.addFields(value);
    else this.text += typeof value === 'bigint' ? value.toString() : JSON.stringify(value ?? null);
  }

  private addText(text: string): void {
    if (text.length < shortText) {
      this.text += JSON.stringify(text);
      return;
    }
    this.text += '"';
    for (let at = 0; at < text.length; at += pieceLength) this.addPiece(text.slice(at, at + pieceLength));
    this.text += '"';
  }

  private addPiece(piece: string): void {
    const bytes = known.get(piece) ?? this.keep(piece);
    if (!bytes) {
      this.text += JSON.stringify(piece).slice(1, -1);
      return;
    }
    this.pieces.push(Buffer.from(this.text), bytes);
    this.text = '';
  }

  /** @returns undefined for a text that is not kept */
  private keep(piece: string): Buffer | undefined {
    this.added += piece.length;
    if (this.added > maxAdded) return undefined;
    const quoted = JSON.stringify(piece);
    // A part of a pool or of a longer text would keep the whole in memory, so copies are kept.
    const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(quoted) - 2);
    bytes.write(quoted.slice(1, -1));
    known.set(JSON.parse(quoted) as string, bytes);
    return bytes;
  }

  private addList(list: readonly unknown[]): void {
    let before = '[';
    for (const entry of list) {
      this.text += before;
      this.add(entry);
      before = ',';
    }
    this.text += before === '[' ? '[]' : ']';
  }

  private addFields(fields: object): void {
    let before = '{';
    for (const [name, field] of Object.entries(fields)) {
      if (field === undefined) continue;
      this.text += `${before}${JSON.stringify(name)}:`;
      this.add(field);
      before = ',';
    }
    this.text += before === '{' ? '{}' : '}';
  }
}
