import { storableJson, storableText } from '../../shared/json.js';

/** Readers of untrusted input of providers and clients. The result always fits its column. */

const longest = 20_000;

/** Returns text of at most `limit` characters; '' for other values. */
export function text(value: unknown, limit = longest): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' ? storableText(value.slice(0, limit)) : '';
}

/** Returns the value if it is a non-negative integer, else 0. */
export function whole(value: unknown): number {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : 0;
}

/** Returns the JSON text of the value; empty when it is absent or too large. */
export function jsonText(value: unknown, limit = 100_000): string {
  if (value === undefined || value === null) return '';
  const written = storableJson(value);
  return written.length > limit ? '' : written;
}
