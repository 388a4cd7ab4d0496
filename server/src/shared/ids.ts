import { randomBytes, randomInt } from 'node:crypto';
import { unixSecond } from './clock.js';

const alphanumerics = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random text of `[0-9a-zA-Z]` from the system's secure source, without modulo bias. */
export function randomAlphanumeric(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // 248 = 4 * 62: larger bytes would favour the first characters.
      if (byte < 248 && text.length < length) text += alphanumerics.charAt(byte % 62);
    }
  }
  return text;
}

/** A random integer in [low, high], both inclusive. */
export const randomBetween = (low: number, high: number): number => randomInt(low, high + 1);

/** Random bytes generated in advance: one system call serves hundreds of ids. */
let pool = randomBytes(4096);
let used = 0;

function randomByte(): number {
  if (used === pool.length) {
    pool = randomBytes(pool.length);
    used = 0;
  }
  return pool[used++] ?? 0;
}

/** Every pair of two letters or digits. */
const pairs = Array.from(alphanumerics).flatMap((first) => Array.from(alphanumerics, (second) => first + second));
/** The largest multiple of the number of pairs in 16 bits: larger numbers would favour the first pairs. */
const fairPairs = 65_536 - (65_536 % pairs.length);

function randomPair(): string {
  for (;;) {
    const number = (randomByte() << 8) | randomByte();
    if (number < fairPairs) return pairs[number % pairs.length] ?? '';
  }
}

/** The header with the request id, which every response has. */
export const requestIdHeader = 'x-oneapi-request-id';

let second = Number.NaN;
/** `YYYYMMDDhhmmss` of `second`. */
let stamp = '';

/**
 * Returns `YYYYMMDDhhmmss` (UTC), 9 digits that begin with the milliseconds, and 8 letters or digits: at most 40
 * characters, sent as `X-Oneapi-Request-Id`. Ids sort by time to the millisecond. Everything after the milliseconds is
 * random (65 bits), so that an id is unique over all nodes and reveals nothing about the number of calls in between.
 */
export function newRequestId(): string {
  const now = Date.now();
  const at = unixSecond(now);
  if (at !== second) {
    second = at;
    stamp = new Date(now).toISOString().replace(/\D/g, '').slice(0, 14);
  }
  const digits = ((randomByte() << 16) | (randomByte() << 8) | randomByte()) % 1_000_000;
  // The leading 1 keeps leading zeros.
  const nine = String(1_000_000_000 + (now % 1000) * 1_000_000 + digits).slice(1);
  return stamp + nine + randomPair() + randomPair() + randomPair() + randomPair();
}
