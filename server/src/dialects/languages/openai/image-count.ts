import type { UsageDetails } from '../../../shared/usage.js';
import { asFields, asFieldsList, type Fields } from '../../neutral/fields.js';
import { toCount } from './usage.js';

/**
 * Returns the number of images in a response of OpenAI's shape, without entries that report an error. Undefined if the
 * response has no list of images.
 */
const imagesIn = (answer: Fields): number | undefined =>
  Array.isArray(answer['data']) ? asFieldsList(answer['data']).filter((entry) => !entry['error']).length : undefined;

/**
 * Returns the images that are counted. Absent if their number is unknown, or if the provider itself reports how many it
 * charges.
 */
export function countedImages(answer: Fields): UsageDetails | undefined {
  const isReported = toCount(asFields(answer['usage'])?.['generated_images']) > 0;
  const images = isReported ? undefined : imagesIn(answer);
  return images === undefined ? undefined : { images };
}

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [openObject, closeObject, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d];
/** First letters of the values `null` and `false`. */
const nothing: ReadonlySet<number> = new Set([...'nf'].map((sign) => sign.charCodeAt(0)));
const lastBlank = 32;

/** Bytes of a name that are compared. Longer names are never relevant. */
const maxName = 8;
/** Depths inside of `{"data":[{…}]}`. */
const topLevel = 1;
const inList = 2;
const inEntry = 3;

/**
 * Counts the images of a long JSON response while it is forwarded, as `imagesIn` does. Memory is constant, and base64 is
 * skipped with `indexOf`.
 */
export class ImageCount {
  private depth = 0;
  private isText = false;
  /** Whether the next byte is escaped, and part of the text. */
  private isEscaped = false;
  /** The text that was read last, up to the length of a relevant name. */
  private text = '';
  /** The name whose value follows. */
  private name = '';
  private isData = false;
  private images = 0;
  private hasFailed = false;
  private isKnown = false;

  /** Undefined until the whole list was read. */
  get found(): number | undefined {
    return this.isKnown ? this.images : undefined;
  }

  push(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length && !this.isKnown) at = this.isText ? this.readText(bytes, at) : this.readSign(bytes, at);
  }

  /** @returns the offset at which reading continues */
  private readText(bytes: Buffer, start: number): number {
    if (this.isEscaped) {
      this.isEscaped = false;
      this.keep(bytes, start, start + 1);
      return start + 1;
    }
    const found = bytes.indexOf(quote, start);
    const end = found < 0 ? bytes.length : found;
    this.keep(bytes, start, end);
    let first = end;
    while (first > start && bytes[first - 1] === backslash) first--;
    this.isEscaped = (end - first) % 2 === 1;
    this.isText = found < 0 || this.isEscaped;
    // After a backslash, the next byte is skipped, even if it is a quote.
    return found < 0 || this.isEscaped ? end : end + 1;
  }

  private keep(bytes: Buffer, start: number, end: number): void {
    const missing = maxName - this.text.length;
    if (missing > 0 && end > start) this.text += bytes.toString('latin1', start, Math.min(end, start + missing));
  }

  private readSign(bytes: Buffer, at: number): number {
    const sign = bytes.readUInt8(at);
    if (sign <= lastBlank) return at + 1;
    if (sign === quote) {
      this.beginValue(sign);
      this.isText = true;
      this.isEscaped = false;
      this.text = '';
    } else if (sign === colon) {
      this.name = this.text;
    } else if (sign === comma) {
      this.name = '';
    } else if (sign === closeObject || sign === closeList) {
      this.close();
    } else {
      this.beginValue(sign);
      if (sign === openObject || sign === openList) this.open(sign);
      // The remaining letters of a literal are not a value of their own.
      this.name = '';
    }
    return at + 1;
  }

  private beginValue(sign: number): void {
    if (this.isData && this.depth === inEntry && this.name === 'error' && !nothing.has(sign)) this.hasFailed = true;
  }

  private open(sign: number): void {
    if (this.depth === topLevel) this.isData = sign === openList && this.name === 'data';
    if (this.isData && this.depth === inList && sign === openObject) {
      this.images++;
      this.hasFailed = false;
    }
    this.depth++;
  }

  private close(): void {
    this.depth--;
    if (this.isData && this.depth === inList && this.hasFailed) {
      this.images--;
      this.hasFailed = false;
    }
    if (this.isData && this.depth === topLevel) this.isKnown = true;
  }
}
