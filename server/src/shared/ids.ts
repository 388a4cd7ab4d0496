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

let lastMillisecond = 0;
let counter = 0;
let salt = randomAlphanumeric(8);

/**
 * `YYYYMMDDhhmmss` + milliseconds and a counter (9 digits) + 8 random characters: sortable, unique, at most 40
 * characters, sent as `X-Oneapi-Request-Id` (`relay-core.md` 1.1). UTC, so that ids of several nodes sort alike.
 */
export function newRequestId(now: number = Date.now()): string {
  if (now === lastMillisecond) counter = (counter + 1) % 1_000_000;
  else {
    lastMillisecond = now;
    counter = 0;
    salt = randomAlphanumeric(8);
  }
  const iso = new Date(now).toISOString();
  const stamp =
    iso.slice(0, 4) + iso.slice(5, 7) + iso.slice(8, 10) + iso.slice(11, 13) + iso.slice(14, 16) + iso.slice(17, 19);
  return stamp + iso.slice(20, 23) + String(counter).padStart(6, '0') + salt;
}
