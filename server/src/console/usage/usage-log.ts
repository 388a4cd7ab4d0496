import { InvalidInputError } from '../../shared/errors.js';
import { callTypes, LogType } from '../../shared/log-type.js';
import { maxLogSeconds } from '../../billing/rollups/index.js';
import { logDimensions, type UsageQuery, type UsageSource } from './usage-question.js';
import type { Span } from './usage-time.js';

/** Returns what a question is read from: log rows if it needs what only they have. */
export function sourceOf({
  dimensions,
  counters,
  filter,
}: Pick<UsageQuery, 'dimensions' | 'counters' | 'filter'>): UsageSource {
  if (dimensions.includes('ERROR')) return 'logOfFailures';
  const needsLog =
    counters.cache || filter.upstreamKeys !== undefined || dimensions.some((name) => logDimensions.includes(name));
  return needsLog ? 'logOfCalls' : 'counters';
}

export const isFromLog = ({ source }: Pick<UsageQuery, 'source'>): boolean => source !== 'counters';

/** @throws AppError INVALID_INPUT for a range that is too long for the log */
export function assertLogRange({
  current,
  compared,
}: {
  readonly current: Span;
  readonly compared: Span | null;
}): void {
  const isLong = (span: Span | null): boolean => span !== null && span.range.end - span.range.from > maxLogSeconds;
  if (!isLong(current) && !isLong(compared)) return;
  throw new InvalidInputError(
    'ENDPOINT, ERROR, UPSTREAM_KEY, upstreamKeys and cache are read from the log, for at most 31 days',
    isLong(current) ? 'range' : 'compareTo',
  );
}

/** Returns a condition on the type of log rows: failed calls alone for the codes of errors, else all calls. */
export const typesOf = ({ source }: Pick<UsageQuery, 'source'>): string =>
  source === 'logOfFailures' ? `type = ${LogType.error}` : `type IN (${callTypes.join(', ')})`;

/** Returns a field of `callsFrom`: a column, a counter, or one that is made of two. */
export function fieldOfCalls(name: string, quotaPerUnit: number) {
  if (name !== 'cache_saved_nano_usd') return { name, sql: name, from: name === 'hour' ? [] : [name] };
  const sql = `(cache_saved_nano_usd + round(cache_saved_quota * 1e9 / ${quotaPerUnit}))::bigint`;
  return { name, sql, from: [name, 'cache_saved_quota'] };
}
