import { dateOf } from '../../shared/clock.js';
import type { ObjectApi } from '../../dialects/contract.js';
import { asFields, asText, type Fields } from '../../dialects/neutral/fields.js';

/** An object as its maker describes it. */
export interface ShownObject {
  readonly id: string;
  /** Everything by which a call can name it. */
  readonly names: readonly string[];
  /** 0 if the maker does not report its size. */
  readonly bytes: number;
  /** Null: it is kept until it is deleted. */
  readonly expiresAt: Date | null;
  readonly shown: Fields;
}

/**
 * Reads the description of an object.
 * @returns null if the response describes none
 */
export function shownObject(api: ObjectApi, answer: Fields): ShownObject | null {
  // An upload of Google responds with the file in a field of its own.
  const shown = api === 'gemini' ? (asFields(answer['file']) ?? answer) : answer;
  const id = asText(shown[api === 'gemini' ? 'name' : 'id']);
  if (id === '') return null;
  const uri = api === 'gemini' ? asText(shown['uri']) : '';
  return {
    id,
    names: uri === '' ? [id] : [id, uri],
    bytes: wholeOf(shown['bytes'] ?? shown['size_bytes'] ?? shown['sizeBytes']),
    expiresAt: timeOf(shown['expires_at'] ?? shown['expirationTime'] ?? shown['expireTime']),
    shown,
  };
}

/** Google writes 64-bit numbers as text. */
function wholeOf(value: unknown): number {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : 0;
}

/** Unix seconds or RFC 3339. */
function timeOf(value: unknown): Date | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const time = typeof value === 'number' ? dateOf(value) : new Date(value);
  return Number.isNaN(time.getTime()) ? null : time;
}
