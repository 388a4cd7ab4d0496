const quote = 0x22;
const backslash = 0x5c;

/** Follows the texts of JSON as it arrives. */
abstract class JsonTexts {
  private isInText = false;
  private isEscaped = false;

  push(bytes: Buffer): Buffer {
    const kept: Buffer[] = [];
    for (let from = 0; from < bytes.length;) {
      const end = this.endOf(bytes, from);
      const piece = bytes.subarray(from, end);
      kept.push(this.isInText ? this.text(piece, this.isEscaped) : this.outside(piece));
      from = end;
      if (this.isEscaped) this.isEscaped = false;
      else if (this.isInText && piece.at(-1) === backslash) this.isEscaped = true;
      else if (this.isInText ? bytes[from] === quote : piece.at(-1) === quote) {
        this.isInText = !this.isInText;
        if (this.isInText) this.begin();
        else kept.push(this.outside(bytes.subarray(from, ++from)));
      }
    }
    return kept.length === 1 && kept[0] ? kept[0] : Buffer.concat(kept);
  }

  /** Returns the end of the piece that begins here: a text without its quotes, to an escape, or what is between texts. */
  private endOf(bytes: Buffer, from: number): number {
    if (this.isEscaped) return from + 1;
    const quoted = after(bytes, quote, from);
    if (!this.isInText) return quoted ?? bytes.length;
    const text = quoted === null ? bytes : bytes.subarray(0, quoted - 1);
    return after(text, backslash, from) ?? text.length;
  }

  protected abstract begin(): void;
  protected abstract text(piece: Buffer, isEscaped: boolean): Buffer;
  protected abstract outside(piece: Buffer): Buffer;
}

const nothing = Buffer.alloc(0);

/** Returns the place behind the next such byte; null when there is none. */
function after(bytes: Buffer, byte: number, from: number): number | null {
  const at = bytes.indexOf(byte, from);
  return at < 0 ? null : at + 1;
}

/** Leaves the rest out of each text that is longer than `most` bytes. */
export class ShortTexts extends JsonTexts {
  private length = 0;
  private isLong = false;

  constructor(private readonly most: number) {
    super();
  }

  protected begin(): void {
    this.length = 0;
    this.isLong = false;
  }

  protected text(piece: Buffer, isEscaped: boolean): Buffer {
    this.length += piece.length;
    // An escape is kept or left out as a whole.
    if (!isEscaped && this.length > this.most) this.isLong = true;
    return this.isLong ? nothing : piece;
  }

  protected outside(piece: Buffer): Buffer {
    return piece;
  }
}

/** Returns the bytes that the first field of a name has as base64. */
export class Base64Field extends JsonTexts {
  /** The text before this one, which is the name of the field where this is its value. */
  private before = '';
  private current = '';
  private isValue = false;
  private isOfField = false;
  private isDone = false;
  private rest = '';
  /** Digits of an escape (`\u003d`) that are still to come. */
  private digits = 0;

  constructor(private readonly name: string) {
    super();
  }

  /** Whether the field was found. */
  get isFound(): boolean {
    return this.isOfField || this.isDone;
  }

  /** Returns the last bytes. */
  end(): Buffer {
    return Buffer.from(this.rest, 'base64');
  }

  protected begin(): void {
    this.isDone ||= this.isOfField;
    this.isOfField = !this.isDone && this.isValue && this.before === this.name;
    this.isValue = false;
    this.before = '';
    this.current = '';
  }

  protected text(piece: Buffer, isEscaped: boolean): Buffer {
    const text = piece.toString('latin1');
    if (!this.isOfField) {
      if (this.current.length <= this.name.length) this.current += text;
      this.before = this.current;
      return nothing;
    }
    if (isEscaped) {
      // Google writes `=`, with which base64 is filled up, as an escape.
      if (text === 'u') this.digits = 4;
      else this.rest += text;
      return nothing;
    }
    const skipped = Math.min(this.digits, text.length);
    this.digits -= skipped;
    const all = this.rest + text.slice(skipped).replace(/\\$/, '');
    const whole = all.length - (all.length % 4);
    this.rest = all.slice(whole);
    return Buffer.from(all.slice(0, whole), 'base64');
  }

  protected outside(piece: Buffer): Buffer {
    this.isValue ||= piece.includes(':');
    return nothing;
  }
}
