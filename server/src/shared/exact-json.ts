import { randomUUID } from 'node:crypto';
import { parseJson, type Json } from './json.js';

/** Matches an integer that JavaScript may not hold exactly: ids of 64 bits are common in arguments of tools. */
const longNumber = /[[:,\s]-?\d{16}/;

/** Whether parsing a JSON text and writing it again could change a number. Texts inside of strings count, too. */
export const hasLongNumbers = (text: string): boolean => longNumber.test(text);

/**
 * Fields that hold a tool's arguments or its result, when they are objects: `input` of Anthropic, `args` and `response` of
 * Gemini, `arguments` of providers that do not write them as text.
 */
const toolFields = new Set(['input', 'args', 'response', 'arguments']);

/**
 * Parses like `JSON.parse`, but integers that a double cannot hold are bigints inside of a tool's arguments and
 * results. `writeJson` writes them unchanged; `JSON.stringify` rounds them. In other places they are rounded, because
 * code expects numbers there.
 * @returns undefined for invalid JSON
 */
export const parseExact = (text: string): unknown =>
  hasLongNumbers(text) ? unmarked(parseJson(marked(text)), false) : parseJson(text);

/** Parses a text that is a tool's arguments or result as a whole, like `parseExact`. */
export const parseArguments = (text: string): unknown =>
  hasLongNumbers(` ${text}`) ? unmarked(parseJson(marked(text)), true) : parseJson(text);

/** Writes like `JSON.stringify`, but bigints are written with all their digits. */
export function writeJson(value: unknown): string {
  const seen = BigInt.prototype as unknown as Seen;
  seen.toJSON.met = false;
  const text = JSON.stringify(value);
  if (!seen.toJSON.met) return text;
  return JSON.stringify(value, function (this: Json, key: string, written: unknown) {
    const held = this[key];
    return typeof held === 'bigint' ? mark + held.toString() : written;
  }).replace(markedNumber, '$1');
}

interface Seen {
  /** `met`: whether the last `JSON.stringify` met a bigint. It belongs to the function, which all copies of this module share. */
  toJSON: { (this: bigint): number; met: boolean };
}

/**
 * The method that writes a bigint. Without it `JSON.stringify` would throw when a body is written only to be measured,
 * stored or compared.
 */
const toJSON: Seen['toJSON'] = Object.assign(
  function (this: bigint): number {
    (BigInt.prototype as unknown as Seen).toJSON.met = true;
    return Number(this);
  },
  { met: false },
);
Object.defineProperty(BigInt.prototype, 'toJSON', { value: toJSON, configurable: true, writable: true });

/** A random mark of this process, so that no client can write it. */
const mark = `long-number-${randomUUID()}:`;
const markedNumber = new RegExp(`"${mark}(-?\\d+)"`, 'g');

/** Maximum digits. 128 bits have 39 digits; much longer bigints would take seconds. */
const maxDigits = 40;

const quoteOrInteger = /"|-?[1-9]\d{15,}/g;

/** Returns the JSON with a marked text in place of every long integer. */
function marked(text: string): string {
  const search = new RegExp(quoteOrInteger);
  let result = '';
  let from = 0;
  for (let found = search.exec(text); found; found = search.exec(text)) {
    const { index, 0: token } = found;
    if (token === '"') {
      search.lastIndex = endOfString(text, index);
      continue;
    }
    const end = index + token.length;
    if (token.length > maxDigits || String(Number(token)) === token) continue;
    if (/[\d.]/.test(text[index - 1] ?? '') || /[.eE]/.test(text[end] ?? '')) continue;
    result += `${text.slice(from, index)}"${mark}${token}"`;
    from = end;
  }
  return result + text.slice(from);
}

/**
 * @param from the opening quote
 * @returns the position after the closing quote
 */
export function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}

/**
 * Restores the numbers that `marked` replaced.
 * @param exact whether the value is inside of a tool's arguments
 */
function unmarked(value: unknown, exact: boolean): unknown {
  if (typeof value === 'string') {
    if (!value.startsWith(mark)) return value;
    const digits = value.slice(mark.length);
    return exact ? BigInt(digits) : Number(digits);
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) value[index] = unmarked(item, exact);
  } else if (typeof value === 'object' && value !== null) {
    const fields = value as Json;
    for (const key of Object.keys(fields)) {
      // Assigning to `__proto__` would change the prototype.
      Object.defineProperty(fields, key, {
        value: unmarked(fields[key], exact || (toolFields.has(key) && !Array.isArray(fields[key]))),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
  }
  return value;
}
