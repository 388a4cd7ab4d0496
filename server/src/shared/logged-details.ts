/**
 * SQL that reads one detail of a log row from the JSON text of its column `other`. The JSON is not parsed: that would take
 * several times as long, and rows of imported programs may be no JSON. Quotes inside of texts are escaped there, so a key is
 * found as a key only.
 */
export const loggedText = (key: string): string => `substring(other FROM '"${key}": ?"([^"\\\\]*)"')`;
export const loggedNumber = (key: string): string =>
  `substring(other FROM '"${key}": ?(-?[0-9]{1,15}(?:\\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,2})?)')::numeric`;

/** SQL of the duration of a call in milliseconds. Rows of imported programs have whole seconds only. */
export const loggedDurationMs = `coalesce(${loggedNumber('duration_ms')}, use_time * 1000)::bigint`;

/** The same of a row that was read. */
export function durationMsOf({ other, useTime }: { readonly other: string; readonly useTime: number }): number {
  const found = /"duration_ms": ?(\d{1,15})/.exec(other)?.[1];
  return found === undefined ? useTime * 1000 : Number(found);
}

export const errorCodeOf = (other: string): string => /"error_code": ?"([^"\\]*)"/.exec(other)?.[1] ?? '';
