import { writeJson } from '../../../shared/exact-json.js';
import { ofEachGroup } from '../../../shared/of-each-object.js';
import { asList, type Fields } from '../../neutral/fields.js';
import { turnNames } from './known-turns.js';

/** Shorter conversations are written faster as a whole, and so are longer lists, which consist of very short entries. */
const manyTurns = 16;
const maxTurns = 20_000;
/** Entries of a list that are kept together, because the garbage collector has work with each buffer. */
const groupSize = 8;

/**
 * Writes a body for a provider like `writeJson`. Agents send their whole conversation with each turn, so the bytes of the
 * turns and tools of a long conversation are kept. These objects must not change afterwards.
 */
export function writeBody(body: Fields): Buffer {
  const turns = Math.max(...turnNames.map((name) => asList(body[name]).length));
  return turns >= manyTurns && turns <= maxTurns ? joined(new BodyPieces(body).pieces) : Buffer.from(writeJson(body));
}

type Objects = readonly [object, ...object[]];

/** Entries of a list. Their bytes are kept from the second time on: most objects that are written once never return. */
class Entries {
  private isKnown = false;
  private bytes: Buffer | null = null;

  constructor(private readonly objects: Objects) {}

  /** Returns the JSON, as a text the first time. */
  write(): string | Buffer {
    if (this.bytes) return this.bytes;
    const json = this.objects.map(writeJson).join(',');
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

const entriesOf = ofEachGroup((objects: Objects) => new Entries(objects));

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const areObjects = (values: readonly unknown[]): values is Objects => values.length > 0 && values.every(isObject);

/** The JSON of a body, as texts and as the bytes of its fields and of their entries. */
class BodyPieces {
  readonly pieces: Array<string | Buffer> = [];
  private text = '';

  constructor(body: Fields) {
    let before = '{';
    for (const [name, value] of Object.entries(body)) {
      if (value === undefined) continue;
      this.text += `${before}${JSON.stringify(name)}:`;
      if (Array.isArray(value)) this.addList(value);
      else this.add([value]);
      before = ',';
    }
    this.pieces.push(`${this.text}}`);
  }

  private addList(list: readonly unknown[]): void {
    this.text += '[';
    for (let at = 0; at < list.length; at += groupSize) {
      if (at > 0) this.text += ',';
      this.add(list.slice(at, at + groupSize));
    }
    this.text += ']';
  }

  private add(values: readonly unknown[]): void {
    const json = areObjects(values)
      ? entriesOf(values).write()
      : values.map((value) => writeJson(value ?? null)).join(',');
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
