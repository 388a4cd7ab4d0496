import { writeJson } from '../../../shared/exact-json.js';
import { ofEachObject } from '../../../shared/of-each-object.js';
import { asList, type Fields } from '../../neutral/fields.js';
import { turnNames } from './known-turns.js';

/** Shorter conversations are written faster as a whole, and so are longer lists, which consist of very short entries. */
const manyTurns = 16;
const maxTurns = 20_000;

/**
 * Writes a body for a provider like `writeJson`. Agents send their whole conversation with each turn, so the turns and
 * the tools of a long conversation are written once. They must not change afterwards.
 */
export function writeBody(body: Fields): Buffer {
  const turns = Math.max(...turnNames.map((name) => asList(body[name]).length));
  return turns >= manyTurns && turns <= maxTurns ? joined(new BodyPieces(body).pieces) : Buffer.from(writeJson(body));
}

/** An object of a body. Its bytes are kept from the second time on: most objects that are written once never return. */
class Entry {
  private isKnown = false;
  private bytes: Buffer | null = null;

  constructor(private readonly value: object) {}

  /** Returns the JSON, as a text the first time. */
  write(): string | Buffer {
    if (this.bytes) return this.bytes;
    const json = writeJson(this.value);
    if (!this.isKnown) {
      this.isKnown = true;
      return json;
    }
    // A part of a pool would keep the whole pool in memory.
    this.bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(json));
    this.bytes.write(json);
    return this.bytes;
  }
}

const entryOf = ofEachObject((value: object) => new Entry(value));

/** The JSON of a body, as texts and as the bytes of its fields and of their entries. */
class BodyPieces {
  readonly pieces: Array<string | Buffer> = [];
  private text = '';

  constructor(body: Fields) {
    let before = '{';
    for (const [name, value] of Object.entries(body)) {
      if (value === undefined) continue;
      this.text += `${before}${JSON.stringify(name)}:`;
      if (Array.isArray(value) && value.length > 0) this.addList(value);
      else this.add(value);
      before = ',';
    }
    this.pieces.push(`${this.text}}`);
  }

  private addList(list: readonly unknown[]): void {
    let before = '[';
    for (const entry of list) {
      this.text += before;
      this.add(entry);
      before = ',';
    }
    this.text += ']';
  }

  private add(value: unknown): void {
    const json = typeof value === 'object' && value !== null ? entryOf(value).write() : writeJson(value ?? null);
    if (typeof json === 'string') this.text += json;
    else {
      this.pieces.push(this.text, json);
      this.text = '';
    }
  }
}

function joined(pieces: ReadonlyArray<string | Buffer>): Buffer {
  let length = 0;
  for (const piece of pieces) length += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length;
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const piece of pieces) {
    if (typeof piece === 'string') at += bytes.write(piece, at);
    else {
      bytes.set(piece, at);
      at += piece.length;
    }
  }
  return bytes;
}
