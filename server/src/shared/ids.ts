import { randomBytes, randomInt } from 'node:crypto';

const alphanumerics = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random text of `[0-9a-zA-Z]` from the system's secure source, without modulo bias. */
export function randomAlphanumeric(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // 248 = 4 * 62: larger bytes would favour the first characters
      if (byte < 248 && text.length < length) text += alphanumerics.charAt(byte % 62);
    }
  }
  return text;
}

/** A random integer in [low, high], both inclusive. */
export const randomBetween = (low: number, high: number): number => randomInt(low, high + 1);

let counter = 0;
let second = Number.NaN;
/** `YYYYMMDDhhmmss` of `second`. */
let stamp = '';
let salt = '';

/**
 * `YYYYMMDDhhmmss` + milliseconds and a counter (9 digits) + 8 random characters: sortable, unique, at most 40
 * characters, sent as `X-Oneapi-Request-Id` (`relay-core.md` 1.1). UTC, so that ids of several nodes sort alike.
 * Names a call and is no secret: the random part, drawn anew each second, keeps nodes apart.
 */
export function newRequestId(now: number = Date.now()): string {
  const at = Math.floor(now / 1000);
  if (at !== second) {
    second = at;
    stamp = new Date(now).toISOString().replace(/\D/g, '').slice(0, 14);
    salt = randomAlphanumeric(8);
  }
  // Never begun again: a clock that is set back would otherwise give an id twice.
  counter = (counter + 1) % 1_000_000;
  return stamp + String((now % 1000) * 1_000_000 + counter).padStart(9, '0') + salt;
}
