import { millisecondsIn } from './clock.js';

/**
 * SQL that reads one detail of a log row from the JSON text of its column `other`. Splitting the text takes a microsecond,
 * a pattern over all of it takes eight. The JSON is not parsed, because rows of imported programs may be none. Quotes inside
 * of texts are escaped there, so a key is found as a key only.
 */
const behind = (key: string): string => `split_part(other, '"${key}":', 2)`;
export const loggedText = (key: string): string =>
  `CASE WHEN ltrim(left(${behind(key)}, 2)) LIKE '"%' THEN split_part(${behind(key)}, '"', 2) END`;
export const loggedNumber = (key: string): string =>
  `substring(left(${behind(key)}, 40) FROM '^ ?(-?[0-9]{1,15}(?:\\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,2})?)')::numeric`;

/** SQL of the duration of a call in milliseconds. Rows of imported programs have whole seconds only. */
export const loggedDuration = `coalesce(${loggedNumber('duration_ms')}, use_time * 1000)`;
/** SQL of the duration of a call in whole milliseconds. */
export const loggedDurationMs = `least(${loggedDuration}, 1e15)::bigint`;

/** Returns what `loggedDurationMs` is of a row that was read. */
export function durationMsOf({ other, useTime }: { readonly other: string; readonly useTime: number }): number {
  const found = /"duration_ms": ?(-?\d{1,15}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,2})?)/.exec(other)?.[1];
  return Math.min(found === undefined ? millisecondsIn(useTime) : Math.round(Number(found)), 1e15);
}

export const errorCodeOf = (other: string): string => /"error_code": ?"([^"\\]*)"/.exec(other)?.[1] ?? '';
