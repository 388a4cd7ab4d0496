const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const space = 0x20;

/**
 * Powers of ten that are exact doubles. The quotient of a safe integer and one of them is rounded once, as by
 * `JSON.parse`.
 */
const powers = Array.from({ length: 23 }, (_, digits) => 10 ** digits);
const maxTexts = 4096;
const maxDepth = 16;

/** Members of an object to read: themselves, or members of them. All others are skipped. */
export interface Members {
  readonly [name: string]: true | Members;
}

/** A member name by its bytes, so that names in a text are not decoded. */
interface Member {
  readonly bytes: Buffer;
  readonly name: string;
  /** Members to read. Null when the member itself is read. */
  readonly members: MemberTable | null;
}

/** Members by the hash of the name. */
type MemberTable = ReadonlyMap<number, Member>;

/** Prepares the members that `ByteReader.members` reads. */
export const memberTable = (members: Members): MemberTable =>
  new Map(
    Object.entries(members).map(([name, inner]): [number, Member] => {
      const bytes = Buffer.from(name);
      const hash = bytes.reduce(nextHash, 0);
      return [hash, { bytes, name, members: inner === true ? null : memberTable(inner) }];
    }),
  );

const nextHash = (hash: number, byte: number): number => (Math.imul(hash, 31) + byte) | 0;

/** The reader cannot decode the text, so `JSON.parse` has to. */
class UnusualError extends Error {}
const unusual = new UnusualError('escapes, long numbers or no JSON');

interface KnownText {
  readonly bytes: Buffer;
  readonly text: string;
}

/**
 * Reads columns and members of JSON objects from bytes. A million log rows have few distinct texts, and prices need a
 * third of their details, so this takes half the time of decoding rows and parsing everything in them.
 */
export class ByteReader {
  private bytes: Buffer = Buffer.alloc(0);
  private at = 0;
  private end = 0;
  private from = 0;
  private readonly texts = new Map<number, KnownText>();

  /** Starts reading other bytes. */
  open(bytes: Buffer): void {
    this.bytes = bytes;
    this.at = 0;
    this.end = bytes.length;
  }

  /** Reads the integer before the next tab. */
  integerColumn(): number {
    const { bytes, end } = this;
    let { at } = this;
    const isNegative = bytes[at] === minus;
    if (isNegative) at += 1;
    let value = 0;
    for (; at < end; at++) {
      const digit = bytes[at] ?? 0;
      if (digit < zero || digit > nine) break;
      value = value * 10 + digit - zero;
    }
    this.at = at + 1;
    return isNegative ? -value : value;
  }

  /** Reads the text before the next tab. */
  textColumn(): string {
    const { bytes, at: from, end } = this;
    let to = from;
    let hash = 0;
    for (; to < end && bytes[to] !== 9; to++) hash = nextHash(hash, bytes[to] ?? 0);
    this.at = to + 1;
    return this.textOf(from, to, hash);
  }

  /**
   * Reads some members of the JSON object up to the end of the bytes. Skipped members are not checked.
   * @returns null when only `JSON.parse` can decode
   */
  members(wanted: MemberTable): Record<string, unknown> | null {
    try {
      if (this.next() !== openBrace) return null;
      const found = this.object(wanted, 0);
      while (this.bytes[this.at] === space) this.at += 1;
      return this.at === this.end ? found : null;
    } catch (error) {
      if (error instanceof UnusualError) return null;
      throw error;
    }
  }

  /** Returns the first byte that is not a space, without consuming it. */
  private next(): number {
    const { bytes, end } = this;
    while (this.at < end && bytes[this.at] === space) this.at += 1;
    if (this.at >= end) throw unusual;
    return bytes[this.at] ?? 0;
  }

  private object(wanted: MemberTable, depth: number): Record<string, unknown> {
    if (depth > maxDepth) throw unusual;
    const found: Record<string, unknown> = {};
    this.at += 1;
    if (this.next() === closeBrace) {
      this.at += 1;
      return found;
    }
    for (;;) {
      if (this.next() !== quote) throw unusual;
      const hash = this.passString();
      const member = wanted.get(hash);
      const isWanted = member !== undefined && this.isSame(member.bytes, this.from, this.at - 1);
      if (this.next() !== colon) throw unusual;
      this.at += 1;
      if (!isWanted) this.skip();
      else if (!member.members) found[member.name] = this.value(depth + 1);
      else if (this.next() === openBrace) found[member.name] = this.object(member.members, depth + 1);
      else throw unusual;
      const byte = this.next();
      this.at += 1;
      if (byte === closeBrace) return found;
      if (byte !== comma) throw unusual;
    }
  }

  private value(depth: number): unknown {
    const byte = this.next();
    if (byte === quote) return this.string();
    if (byte === openBracket) return this.array(depth);
    if (byte === minus || (byte >= zero && byte <= nine)) return this.number();
    if (this.isWord('true')) return true;
    if (this.isWord('false')) return false;
    if (this.isWord('null')) return null;
    throw unusual;
  }

  private array(depth: number): unknown[] {
    if (depth > maxDepth) throw unusual;
    const values: unknown[] = [];
    this.at += 1;
    if (this.next() === closeBracket) {
      this.at += 1;
      return values;
    }
    for (;;) {
      values.push(this.value(depth + 1));
      const byte = this.next();
      this.at += 1;
      if (byte === closeBracket) return values;
      if (byte !== comma) throw unusual;
    }
  }

  private number(): number {
    const { bytes } = this;
    let { at } = this;
    const isNegative = bytes[at] === minus;
    if (isNegative) at += 1;
    const from = at;
    let value = 0;
    let fraction = -1;
    for (; at < this.end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte >= zero && byte <= nine) {
        value = value * 10 + byte - zero;
        if (fraction >= 0) fraction += 1;
      } else if (byte === point && fraction < 0) fraction = 0;
      else break;
    }
    const end = bytes[at];
    const isWhole = end === comma || end === closeBrace || end === closeBracket || end === space;
    const hasZeros = bytes[from] === zero && at > from + 1 && bytes[from + 1] !== point;
    // These are exponents, long numbers, and invalid JSON: `-`, `1.`, `01`.
    if (!isWhole || hasZeros || at === from || fraction === 0) throw unusual;
    const power = powers[Math.max(0, fraction)];
    if (value > Number.MAX_SAFE_INTEGER || power === undefined) throw unusual;
    this.at = at;
    const amount = value / power;
    return isNegative ? -amount : amount;
  }

  private string(): string {
    const hash = this.passString();
    return this.textOf(this.from, this.at - 1, hash);
  }

  /**
   * Skips a string that begins here, and leaves its first byte in `from`.
   * @returns its hash
   */
  private passString(): number {
    const { bytes, end } = this;
    const from = this.at + 1;
    let to = from;
    let hash = 0;
    for (; to < end; to++) {
      const byte = bytes[to] ?? 0;
      if (byte === quote) break;
      if (byte === backslash || byte < space) throw unusual;
      hash = nextHash(hash, byte);
    }
    if (to >= end) throw unusual;
    this.from = from;
    this.at = to + 1;
    return hash;
  }

  private isWord(word: 'true' | 'false' | 'null'): boolean {
    for (let place = 0; place < word.length; place++) {
      if (this.bytes[this.at + place] !== word.charCodeAt(place)) return false;
    }
    this.at += word.length;
    return true;
  }

  /** Skips a value of any kind. */
  private skip(): void {
    const { bytes, end } = this;
    let depth = 0;
    for (; this.at < end; this.at++) {
      const byte = bytes[this.at];
      if (byte === quote) this.skipString();
      else if (byte === openBrace || byte === openBracket) depth += 1;
      else if (byte === closeBrace || byte === closeBracket) {
        if (depth === 0) return;
        depth -= 1;
      } else if (byte === comma && depth === 0) return;
    }
    throw unusual;
  }

  /** Moves to the closing quote. */
  private skipString(): void {
    const { bytes, end } = this;
    for (this.at += 1; this.at < end; this.at++) {
      const byte = bytes[this.at];
      if (byte === quote) return;
      if (byte === backslash) this.at += 1;
    }
    throw unusual;
  }

  /** Returns the text of some bytes. Bytes that occurred before are not decoded again. */
  private textOf(from: number, to: number, hash: number): string {
    const known = this.texts.get(hash);
    if (known && this.isSame(known.bytes, from, to)) return known.text;
    const text = this.bytes.toString('utf8', from, to);
    if (this.texts.size >= maxTexts) this.texts.clear();
    this.texts.set(hash, { bytes: Buffer.from(this.bytes.subarray(from, to)), text });
    return text;
  }

  private isSame(known: Buffer, from: number, to: number): boolean {
    if (known.length !== to - from) return false;
    for (let place = 0; place < known.length; place++) {
      if (known[place] !== this.bytes[from + place]) return false;
    }
    return true;
  }
}
