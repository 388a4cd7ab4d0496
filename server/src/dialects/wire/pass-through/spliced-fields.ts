import { writeJson } from '../../../shared/exact-json.js';
import { endOfString } from '../../../shared/json.js';

/**
 * Sets and removes fields of a JSON object. All other values keep their bytes, so that a large body is neither decoded nor
 * written again, and its numbers stay exact.
 * @param bytes a valid JSON object, each name of which occurs once
 * @param changes changes by the name of the field; undefined removes one
 */
export function splicedFields(bytes: Buffer, changes: Readonly<Record<string, unknown>>): Buffer {
  const values = valuesOf(bytes);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) values.delete(name);
    else values.set(name, Buffer.from(writeJson(value)));
  }
  const parts = [...values].flatMap(([name, value], index) => [
    Buffer.from(`${index === 0 ? '' : ','}${JSON.stringify(name)}:`),
    value,
  ]);
  return Buffer.concat([Buffer.from('{'), ...parts, Buffer.from('}')]);
}

/** Sets a field of an object within a JSON object. */
export function splicedWithin(bytes: Buffer, outer: string, changes: Readonly<Record<string, unknown>>): Buffer {
  const inner = valuesOf(bytes).get(outer) ?? Buffer.from('{}');
  const start = inner.byteOffset - bytes.byteOffset;
  return Buffer.concat([bytes.subarray(0, start), splicedFields(inner, changes), bytes.subarray(start + inner.length)]);
}

const quote = 0x22;
const comma = 0x2c;
const space = 0x20;
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);

/** Returns the bytes of the values by name. */
function valuesOf(bytes: Buffer): Map<string, Buffer> {
  const values = new Map<string, Buffer>();
  for (let at = skipSpaces(bytes, bytes.indexOf('{') + 1); bytes[at] === quote;) {
    const nameEnd = endOfString(bytes, at) + 1;
    const start = skipSpaces(bytes, skipSpaces(bytes, nameEnd) + 1);
    const end = endOfValue(bytes, start);
    values.set(JSON.parse(bytes.toString('utf8', at, nameEnd)) as string, bytes.subarray(start, end));
    at = skipSpaces(bytes, end);
    if (bytes[at] === comma) at = skipSpaces(bytes, at + 1);
  }
  return values;
}

const isSpace = (byte: number | undefined): boolean => byte !== undefined && byte <= space;

function skipSpaces(bytes: Buffer, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at++;
  return at;
}

function endOfValue(bytes: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) at = endOfString(bytes, at);
    else if (opening.has(byte)) depth++;
    else if (closing.has(byte)) depth--;
    else if (depth > 0 || (byte !== comma && byte > space)) continue;
    // A word or number ends before a comma, a blank or the end of the object; other values end with this byte.
    if (depth < 0 || (depth === 0 && (byte === comma || byte <= space))) return at;
    if (depth === 0) return at + 1;
  }
  return bytes.length;
}
