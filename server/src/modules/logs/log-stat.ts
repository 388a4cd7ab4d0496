import { LogType } from './log.entity.js';
import { andDimensions, andLogFields, isKnownHourly, Where, type LogFilter } from './log-conditions.js';

export interface LogStat {
  /** Charged by the consume rows in the range. */
  readonly quota: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Calls of the last 60 seconds, whatever the range. */
  readonly rpm: number;
  /** Prompt and completion tokens of the last 60 seconds. */
  readonly tpm: number;
}

interface Queries {
  query<T>(sql: string, parameters?: unknown[]): Promise<T>;
}

/** Stands where other rows name the API key; the index on it finds tests among any number of calls. */
export const testTokenName = 'model test';

const hour = 3600;
/** A range this short is read from the log alone: cheaper than asking twice. */
const narrow = 2 * hour;

/** @param now Unix seconds */
export async function readStat(database: Queries, filter: LogFilter, now: number): Promise<LogStat> {
  const [sums, rate] = await Promise.all([readSums(database, filter), readRate(database, filter, now)]);
  return { ...sums, ...rate };
}

/**
 * Whole hours come from the hourly usage, the edges of the range from the log, in one statement and so from one moment:
 * settlements write both together. Hours in which log rows were deleted on purpose are read from the log, too.
 */
async function readSums(database: Queries, filter: LogFilter): Promise<Omit<LogStat, 'rpm' | 'tpm'>> {
  const where = new Where();
  const edges: string[] = [];
  const hours = isKnownHourly(filter) ? wholeHours(filter, await readTrimmedBefore(database)) : null;
  if (hours) {
    if (hours.from > (filter.from ?? 0)) edges.push(`created_at < ${where.value(hours.from)}`);
    if (hours.end !== null) edges.push(`created_at >= ${where.value(hours.end)}`);
  }
  const fromLog = hours && edges.length === 0 ? null : logSums(where, filter, edges);
  const fromHours = hours ? hourSums(where, filter, hours) : null;
  const parts = [fromLog, fromHours].filter((part) => part !== null).join(' UNION ALL ');
  const [row] = await database.query<Array<Record<'quota' | 'prompt' | 'completion', string>>>(
    `SELECT coalesce(sum(quota), 0)::text AS quota, coalesce(sum(prompt), 0)::text AS prompt,
            coalesce(sum(completion), 0)::text AS completion FROM (${parts}) sums`,
    where.values,
  );
  return {
    quota: Number(row?.quota ?? 0),
    promptTokens: Number(row?.prompt ?? 0),
    completionTokens: Number(row?.completion ?? 0),
  };
}

function logSums(where: Where, filter: LogFilter, edges: string[]): string {
  const rows = andLogFields(scope(where), filter);
  const range = [
    `type = ${LogType.consume}`,
    ...(filter.from === undefined ? [] : [`created_at >= ${where.value(filter.from)}`]),
    ...(filter.to === undefined ? [] : [`created_at <= ${where.value(filter.to)}`]),
    ...(edges.length === 0 ? [] : [`(${edges.join(' OR ')})`]),
  ].join(' AND ');
  return `SELECT sum(quota) AS quota, sum(prompt_tokens) AS prompt, sum(completion_tokens) AS completion
    FROM logs WHERE ${rows.toString()} AND ${range}`;
}

/** Channel tests are in the log, but nobody paid them, so the hourly usage does not know them. */
function hourSums(where: Where, filter: LogFilter, hours: Hours): string {
  const usage = andDimensions(scope(where), filter).toString();
  const tests = andDimensions(scope(where), filter).toString();
  const from = where.value(hours.from);
  const end = hours.end === null ? null : where.value(hours.end);
  const within = (column: string): string => `${column} >= ${from}${end === null ? '' : ` AND ${column} < ${end}`}`;
  return `SELECT sum(logged_quota) AS quota, sum(prompt_tokens) AS prompt, sum(completion_tokens) AS completion
      FROM usage_hourly WHERE ${usage} AND ${within('hour')}
    UNION ALL SELECT sum(quota), sum(prompt_tokens), sum(completion_tokens) FROM logs
      WHERE type = ${LogType.consume} AND token_name = '${testTokenName}' AND request_id = '' AND ${tests}
        AND ${within('created_at')}`;
}

/** Conditions of their own over the statement's common values. */
function scope(where: Where): Where {
  const part = new Where();
  part.value = (value) => where.value(value);
  return part;
}

interface Hours {
  /** Start of the first whole hour, Unix seconds. */
  readonly from: number;
  /** End of the last one; null: the range is open. */
  readonly end: number | null;
}

function wholeHours(filter: LogFilter, trimmedBefore: number): Hours | null {
  const from = Math.ceil(Math.max(filter.from ?? 0, trimmedBefore) / hour) * hour;
  if (filter.to === undefined) return { from, end: null };
  const end = Math.floor((filter.to + 1) / hour) * hour;
  const isNarrow = filter.to - (filter.from ?? 0) < narrow;
  return isNarrow || end <= from ? null : { from, end };
}

async function readTrimmedBefore(database: Queries): Promise<number> {
  const [row] = await database.query<Array<{ trimmed: string }>>('SELECT trimmed_before AS trimmed FROM log_state');
  return Number(row?.trimmed ?? 0);
}

async function readRate(database: Queries, filter: LogFilter, now: number): Promise<Pick<LogStat, 'rpm' | 'tpm'>> {
  const where = andLogFields(new Where(), filter)
    .and('type = ?', LogType.consume)
    .and('created_at > ?', now - 60);
  const [row] = await database.query<Array<{ calls: string; tokens: string }>>(
    `SELECT count(*)::text AS calls, coalesce(sum(prompt_tokens::bigint + completion_tokens), 0)::text AS tokens
       FROM logs WHERE ${where.toString()}`,
    where.values,
  );
  return { rpm: Number(row?.calls ?? 0), tpm: Number(row?.tokens ?? 0) };
}
