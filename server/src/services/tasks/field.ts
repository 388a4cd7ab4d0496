import { isDeepStrictEqual } from 'node:util';
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

/**
 * Returns the moment of a provider's time; null when there is none.
 * @param unit milliseconds of one unit
 */
export function moment(value: unknown, unit: number): Date | null {
  const time = new Date(whole(value) * unit);
  return time.getTime() > 0 ? time : null;
}

/** Returns the value as a column can hold it; null when it is absent or too large. */
export function jsonValue(value: unknown, limit = 100_000): unknown {
  if (value === undefined || value === null) return null;
  const written = storableJson(value);
  return written.length > limit ? null : (JSON.parse(written) as unknown);
}

/** Whether a step has something that the row does not have. */
export const changes = <Row extends object>(step: Partial<Row>, row: Row): boolean =>
  (Object.keys(step) as Array<keyof Row>).some((key) => !isDeepStrictEqual(step[key], row[key]));
