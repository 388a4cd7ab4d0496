import { LRUCache } from 'lru-cache';
import { getHeapStatistics } from 'node:v8';

/** Characters. Shorter texts are written faster than they are looked up. */
const shortText = 512;
/** Characters. V8 hashes a text of more than 16,383 by its length alone, so all texts of one length would collide. */
const pieceLength = 16_000;

/** The bytes of texts by the text, without quotes. */
const known = new LRUCache<string, Buffer>({
  maxSize: Math.min(64 * 1024 * 1024, getHeapStatistics().heap_size_limit / 32),
  sizeCalculation: (bytes, text) => bytes.length + text.length,
  ttl: 10 * 60_000,
  ttlAutopurge: true,
});

function bytesOf(text: string): Buffer {
  const kept = known.get(text);
  if (kept) return kept;
  const quoted = JSON.stringify(text);
  const bytes = Buffer.from(quoted.slice(1, -1));
  // A part of a text would keep the whole text in memory, so a copy is kept.
  known.set(JSON.parse(quoted) as string, bytes);
  return bytes;
}

/**
 * Writes the bytes of `writeJson`, for a value whose texts were mostly written before: their bytes are kept. Half of a
 * surrogate pair may be written as an escape, which is read as the same text.
 */
export const writeRepeated = (value: unknown): Buffer => new RepeatedWriter().write(value);

class RepeatedWriter {
  private readonly pieces: Buffer[] = [];
  /** The text behind the pieces. */
  private text = '';

  write(value: unknown): Buffer {
    this.add(value);
    this.pieces.push(Buffer.from(this.text));
    return Buffer.concat(this.pieces);
  }

  private add(value: unknown): void {
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
    for (let at = 0; at < text.length; at += pieceLength) {
      this.pieces.push(Buffer.from(this.text), bytesOf(text.slice(at, at + pieceLength)));
      this.text = '';
    }
    this.text += '"';
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
