import { storableJson, storableText } from '../../shared/storable.js';

/** Readers of what a provider or a client sent: whatever it was, what comes out fits its column. */

const longest = 20_000;

export function text(value: unknown, limit = longest): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' ? storableText(value.slice(0, limit)) : '';
}

/** A whole number that is not negative, else 0. */
export function whole(value: unknown): number {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : 0;
}

/** JSON text of what was sent; empty when there is nothing, or too much. */
export function jsonText(value: unknown, limit = 100_000): string {
  if (value === undefined || value === null) return '';
  const written = storableJson(value);
  return written.length > limit ? '' : written;
}
