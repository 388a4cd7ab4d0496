import { AppError } from './errors.js';

/** An untrusted JSON object: every value must be checked before use. */
export type Fields = Readonly<Record<string, unknown>>;

/** A JSON object that is being written. */
export type Json = Record<string, unknown>;

/** @returns null for anything but an object */
export const asFields = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;

/** @returns an empty list for anything but a list */
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** The objects of a list; other entries are skipped. */
export const asFieldsList = (value: unknown): Fields[] =>
  asList(value)
    .map(asFields)
    .filter((entry) => entry !== null);

/** @returns '' for anything but text */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** @returns undefined for anything but a non-empty text */
export const someText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** @returns undefined for anything but a finite number */
export const someNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** Returns the value of the first existing key: several providers accept both `snake_case` and `camelCase`. */
export const either = (fields: Fields, ...names: readonly string[]): unknown => {
  for (const name of names) if (fields[name] !== undefined) return fields[name];
  return undefined;
};

/** @returns undefined for invalid JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A failed parse takes some 25 µs, and texts that are usually no JSON are tried with each call. */
const mayBeFields = /^\s*\{/;

/** @returns null for anything but the JSON text of an object */
export const parseFields = (text: string): Fields | null => (mayBeFields.test(text) ? asFields(parseJson(text)) : null);

/** Returns text that Postgres can store: without NUL, and with U+FFFD in place of lone surrogates. */
export const storableText = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** Returns a value of a condition. A text with NUL, which no text of Postgres contains, becomes one that matches no row. */
export const searchable = <Value>(value: Value): Value =>
  typeof value === 'string' ? (value.replaceAll('\0', '\uFFFD') as Value) : value;

/**
 * Matches escapes that Postgres refuses. JSON.stringify writes them for NUL and lone surrogates only, never for pairs.
 */
const suspect = /\\u(?:0000|d[89a-f])/;

/**
 * Returns JSON text that Postgres accepts as `json` and `jsonb`, with names and values made storable. It costs one
 * search when nothing has to change. Values are replaced instead of escapes, because `\\u0000` is an
 * escaped backslash and text.
 */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  return json.includes('\\u') && suspect.test(json) ? JSON.stringify(value, clean) : json;
}

function clean(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [storableText(name), field]));
}

interface JsonBounds {
  /** Maximum nesting depth of arrays and objects. */
  readonly maxDepth: number;
  /** Maximum number of array elements and object members in total. */
  readonly maxValues: number;
}

/** Bytes up to which every number is exact as a double. */
const longValue = 15;

/** Whether the bytes are an integer that a double may not hold exactly. */
function isLong(bytes: Buffer, from: number, until: number): boolean {
  if (until - from <= longValue) return false;
  const value = Number(bytes.toString('latin1', from, until));
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

export interface JsonShape {
  /** Number of array elements and object members in total. */
  readonly values: number;
  /** Number of members of all objects, repeated keys included. */
  readonly members: number;
  /** Whether there is an integer that a double may not hold exactly. */
  readonly longValues: boolean;
}

/** Progress of a scan, so that a long text can be scanned in slices. */
export interface JsonScan {
  /** Position of the next byte. */
  at: number;
  depth: number;
  values: number;
  members: number;
  /** Bytes outside of strings scanned so far. */
  outside: number;
  /** Position at which the current value began. */
  value: number;
  longValues: boolean;
}

/** Gets the parts of a text that a scan passes. */
export interface ScanListener {
  /** Called with the positions of the opening and the closing quote of each string. */
  string?(open: number, close: number): void;
  /**
   * Called with the position of the bracket of each list or object that is a field of the outermost object, and the counts
   * of the text before it.
   * @returns what is known of the field, which is then passed over
   */
  field?(open: number, values: number, members: number): KnownJson | undefined;
  /** Called with the position of each comma in such a list or object, and the counts of the text up to there. */
  comma?(at: number, values: number, members: number): void;
  /** Called with the position of the bracket that closes such a list or object, and the counts of the text up to there. */
  close?(at: number, values: number, members: number): void;
}

/** A list or object of a text that was scanned before. */
export interface KnownJson {
  readonly length: number;
  readonly values: number;
  readonly members: number;
}

/** Depth of the lists and objects that are fields of the outermost object. */
const fieldDepth = 2;

/** Returns the state at the beginning of a scan. */
export const newJsonScan = (): JsonScan => ({
  at: 0,
  depth: 0,
  values: 0,
  members: 0,
  outside: 0,
  value: 0,
  longValues: false,
});

/**
 * Counts depth and values of a JSON text before it is parsed. `[[],[],…]` grows fiftyfold in memory, and a parser
 * cannot be interrupted. One pass over the bytes without allocation; strings are skipped by the runtime's native
 * search. Does not check that the text is valid JSON.
 * @throws AppError INVALID_INPUT when the text is nested too deeply or has too many values
 */
export function assertJsonBounds(bytes: Buffer, bounds: JsonBounds, listener: ScanListener = {}): JsonShape {
  const scan = newJsonScan();
  scanJson(bytes, scan, bounds, bytes.length, listener);
  return scan;
}

/**
 * Continues the scan from `scan.at` to the end of the text, or until `budget` bytes outside of strings were scanned.
 * Strings are skipped by a native search that is thirty times as fast, so they do not count against the budget.
 * @throws AppError INVALID_INPUT
 */
export function scanJson(
  bytes: Buffer,
  scan: JsonScan,
  { maxDepth, maxValues }: JsonBounds,
  budget: number,
  listener: ScanListener,
): void {
  let { at, depth, values, members, value, longValues } = scan;
  let looked = 0;
  for (; at < bytes.length && looked < budget; at++, looked++) {
    switch (bytes[at] ?? 0) {
      case quote: {
        const close = endOfString(bytes, at);
        listener.string?.(at, close);
        at = close;
        value = at;
        break;
      }
      case openBracket:
      case openBrace: {
        const known = depth === fieldDepth - 1 ? listener.field?.(at, values, members) : undefined;
        if (known) {
          values += known.values;
          members += known.members;
          at += known.length - 1;
        } else {
          if (++depth > maxDepth) throw tooComplex(`is nested more than ${maxDepth} levels deep`);
          values++;
        }
        if (values > maxValues) throw tooComplex(`has more than ${maxValues} values`);
        value = at;
        break;
      }
      case closeBracket:
      case closeBrace:
        if (--depth === fieldDepth - 1) listener.close?.(at, values, members);
        longValues ||= isLong(bytes, value + 1, at);
        value = at;
        break;
      case comma:
        if (++values > maxValues) throw tooComplex(`has more than ${maxValues} values`);
        longValues ||= isLong(bytes, value + 1, at);
        if (depth === fieldDepth) listener.comma?.(at, values, members);
        value = at;
        break;
      case colon:
        members++;
        value = at;
        break;
    }
  }
  Object.assign(scan, { at, depth, values, members, outside: scan.outside + looked, value, longValues });
}

/** Bytes. A native search costs as much as looking at so many. */
const lookedAt = 8;

/** @returns the position of the closing quote; the end of the text when there is none */
export function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length) {
    // Most strings are short, or have many escapes.
    for (const until = Math.min(at + lookedAt, bytes.length); at < until;) {
      const byte = bytes[at];
      if (byte === quote) return at;
      at += byte === backslash ? 2 : 1;
    }
    const found = bytes.indexOf(quote, at);
    if (found < 0) break;
    let slashes = 0;
    while (found - slashes > at && bytes[found - 1 - slashes] === backslash) slashes++;
    if (slashes % 2 === 0) return found;
    at = found + 1;
  }
  return bytes.length;
}

const tooComplex = (how: string): AppError => new AppError('INVALID_INPUT', `The JSON body ${how}`);
