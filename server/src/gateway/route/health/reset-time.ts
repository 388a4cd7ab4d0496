import { millisecondsIn } from '../../../shared/clock.js';

type Headers = Readonly<Record<string, string>>;

const hour = 3_600_000;
/** Milliseconds of the units in durations such as `6m0s` and `120ms`. */
const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: hour, d: 24 * hour };
const duration = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
const piece = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;
const resetName = /^(?:x|anthropic)-ratelimit-(?:(.+)-)?reset(?:-(.+))?$/;

/**
 * Returns when a provider accepts calls again, from the headers of its response: `retry-after-ms`, `retry-after`
 * (seconds or an HTTP date), else the reset of a limit of which nothing remains, else the earliest reset.
 * @param now Unix milliseconds
 * @returns Unix milliseconds in the future; null when no header states it
 */
export function resetTime(headers: Headers, now: number): number | null {
  const inMilliseconds = Number(headers['retry-after-ms'] ?? NaN);
  if (inMilliseconds > 0) return now + inMilliseconds;
  const after = headers['retry-after']?.trim() ?? '';
  const asked = /^\d+(?:\.\d+)?$/.test(after) ? now + millisecondsIn(Number(after)) : Date.parse(after);
  // `Retry-After: 0` states no time.
  if (asked > now) return asked;
  return limitReset(headers, now);
}

function limitReset(headers: Headers, now: number): number | null {
  let spent = 0;
  let earliest = Infinity;
  for (const name in headers) {
    const match = resetName.exec(name);
    const at = match && momentOf(headers[name] ?? '', now);
    if (!at || at <= now) continue;
    earliest = Math.min(earliest, at);
    if (remaining(headers, match[1] ?? match[2] ?? '') === 0) spent = Math.max(spent, at);
  }
  if (spent > 0) return spent;
  return earliest === Infinity ? null : earliest;
}

/** @param limit `requests`, `tokens`, `input-tokens`, or empty */
function remaining(headers: Headers, limit: string): number {
  const names =
    limit === ''
      ? ['x-ratelimit-remaining', 'anthropic-ratelimit-remaining']
      : [`x-ratelimit-remaining-${limit}`, `x-ratelimit-${limit}-remaining`, `anthropic-ratelimit-${limit}-remaining`];
  const text = names.map((name) => headers[name]).find((value) => value !== undefined);
  return text === undefined ? NaN : Number(text);
}

/**
 * Parses a duration (`1m30s`, `120ms`), a date (RFC 3339), or a number: seconds, or a Unix time in seconds or
 * milliseconds.
 */
function momentOf(given: string, now: number): number {
  const text = given.trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) {
    const value = Number(text);
    if (value > 1e12) return value;
    return value > 1e9 ? millisecondsIn(value) : now + millisecondsIn(value);
  }
  if (!duration.test(text)) return Date.parse(text);
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(piece)) sum += Number(amount) * (units[unit ?? ''] ?? 0);
  return now + sum;
}
