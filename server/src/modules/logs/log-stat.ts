import { logFrom, type Queries, type SumState } from '../sums/sums.service.js';
import { andLogFields, columnsOf, logConditions, Where, type LogFilter } from './log-conditions.js';
import { LogType } from './log.entity.js';

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

interface LogSums extends Omit<LogStat, 'rpm' | 'tpm'> {
  readonly rows: number;
}

/** @param now Unix seconds */
export async function readStat(database: Queries, filter: LogFilter, state: SumState, now: number): Promise<LogStat> {
  const charged = { ...filter, type: LogType.consume };
  const { rows: _rows, ...sums } = await readSums(database, charged, logSource(charged, state) ?? plainSource(charged));
  return { ...sums, ...(await readRate(database, filter, now)) };
}

/** Rows that meet a filter, exactly, as far as sums know them; otherwise counted one by one up to `most`. */
export async function countLogs(database: Queries, filter: LogFilter, state: SumState, most: number): Promise<number> {
  const known = logSource(filter, state);
  if (known) return (await readSums(database, filter, known)).rows;
  const where = logConditions(filter);
  const [row] = await database.query<Array<{ rows: string }>>(
    `SELECT count(*)::text AS rows FROM (SELECT 1 FROM logs WHERE ${where.toString()} LIMIT ${where.value(most)}) counted`,
    where.values,
  );
  return Number(row?.rows ?? 0);
}

async function readSums(database: Queries, filter: LogFilter, source: Source): Promise<LogSums> {
  const [row] = await database.query<Array<Record<'rows' | 'quota' | 'prompt' | 'completion', string>>>(
    `SELECT coalesce(sum(entries), 0)::text AS rows, coalesce(sum(quota), 0)::text AS quota,
            coalesce(sum(prompt_tokens), 0)::text AS prompt, coalesce(sum(completion_tokens), 0)::text AS completion
       FROM ${source.from}`,
    source.values,
  );
  return {
    rows: Number(row?.rows ?? 0),
    quota: Number(row?.quota ?? 0),
    promptTokens: Number(row?.prompt ?? 0),
    completionTokens: Number(row?.completion ?? 0),
  };
}

interface Source {
  readonly from: string;
  readonly values: unknown[];
}

function logSource(filter: LogFilter, state: SumState): Source | null {
  const where = andLogFields(new Where(), filter);
  const range = { from: filter.from ?? 0, end: (filter.to ?? latest) + 1 };
  const from = logFrom({ range, columns: columnsOf(filter), condition: where.toString() }, state);
  return from === null ? null : { from, values: where.values };
}

function plainSource(filter: LogFilter): Source {
  const where = logConditions(filter);
  const from = `(SELECT 1 AS entries, quota, prompt_tokens, completion_tokens FROM logs WHERE ${where.toString()}) plain`;
  return { from, values: where.values };
}

const latest = Number.MAX_SAFE_INTEGER - 1;

async function readRate(database: Queries, filter: LogFilter, now: number): Promise<Pick<LogStat, 'rpm' | 'tpm'>> {
  const where = andLogFields(new Where(), { ...filter, type: LogType.consume }).and('created_at > ?', now - 60);
  const [row] = await database.query<Array<{ calls: string; tokens: string }>>(
    `SELECT count(*)::text AS calls, coalesce(sum(prompt_tokens::bigint + completion_tokens), 0)::text AS tokens
       FROM logs WHERE ${where.toString()}`,
    where.values,
  );
  return { rpm: Number(row?.calls ?? 0), tpm: Number(row?.tokens ?? 0) };
}
