import { maxInt32 } from '../../shared/limits.js';
/**
 * Readers of query texts as the old clients send them (docs/reference/rest/conventions.md#urls-and-bodies): nothing
 * here ever fails.
 */

/** Returns an integer; 0 if the text is absent, `NaN`, empty or unreadable. */
export function queryNumber(text: string | undefined): number {
  if (text === undefined || !/^[+-]?\d+$/.test(text.trim())) return 0;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : 0;
}

/** Returns an id from a path or a query; 0, which no row has, if it is not a valid id. */
export function queryId(text: string | undefined): number {
  const value = queryNumber(text);
  return value > 0 && value <= maxInt32 ? value : 0;
}

/** True for the texts that older clients send for a true flag. */
export const queryFlag = (text: string | undefined): boolean =>
  text !== undefined && ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text);
