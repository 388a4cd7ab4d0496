import { randomBytes, randomInt } from 'node:crypto';
import { unixSecond } from './clock.js';

const alphanumerics = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 248 = 4 * 62: larger bytes would favour the first characters. */
const fairBytes = 256 - (256 % alphanumerics.length);

/** Random text of `[0-9a-zA-Z]` from the system's secure source, without modulo bias. */
export function randomAlphanumeric(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < fairBytes && text.length < length) text += alphanumerics.charAt(byte % alphanumerics.length);
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

const codes = Buffer.from(alphanumerics);

/** The character code of a random letter or digit. */
function randomCode(): number {
  for (;;) {
    const byte = randomByte();
    if (byte < fairBytes) return codes[byte % codes.length] ?? 0;
  }
}

/** The header with the request id, which every response has. */
export const requestIdHeader = 'x-oneapi-request-id';

/** The id that was returned last, as bytes: text that is put together from parts is copied once more when it is used. */
const lastId = Buffer.alloc(31);
let second = Number.NaN;
const zero = '0'.charCodeAt(0);

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
    lastId.write(new Date(now).toISOString().replace(/\D/g, ''), 0, 14, 'latin1');
  }
  const random = ((randomByte() << 16) | (randomByte() << 8) | randomByte()) % 1_000_000;
  let digits = (now % 1000) * 1_000_000 + random;
  for (let place = 22; place >= 14; place--) {
    lastId[place] = zero + (digits % 10);
    digits = Math.floor(digits / 10);
  }
  for (let place = 23; place < lastId.length; place++) lastId[place] = randomCode();
  return lastId.toString('latin1');
}
