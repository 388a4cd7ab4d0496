import type { Queries, RollupState } from '../../billing/rollups/index.js';
import { andLogFields, logConditions, logSource, Where, type LogFilter, type Source } from './log-conditions.js';
import { LogType } from '../../shared/log-type.js';

/** Totals of the charged calls in the range. */
export interface LogSums {
  readonly quota: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** The charged calls of the last 60 seconds. */
export interface LogRate {
  readonly calls: number;
  /** Prompt and completion tokens. */
  readonly tokens: number;
}

/** Reads totals. */
export function readSums(database: Queries, filter: LogFilter, state: RollupState): Promise<LogSums> {
  return addUp(database, logSource(filter, state) ?? plainSource(filter));
}

async function addUp(database: Queries, source: Source): Promise<LogSums> {
  const [row] = await database.query<Array<Record<'quota' | 'prompt' | 'completion', string>>>(
    `SELECT coalesce(sum(quota), 0)::text AS quota, coalesce(sum(prompt_tokens), 0)::text AS prompt,
            coalesce(sum(completion_tokens), 0)::text AS completion FROM ${source.from}`,
    source.values,
  );
  return {
    quota: Number(row?.quota ?? 0),
    promptTokens: Number(row?.prompt ?? 0),
    completionTokens: Number(row?.completion ?? 0),
  };
}

/** Returns a source without rollups, because rollups have neither user names nor request ids. */
function plainSource(filter: LogFilter): Source {
  const where = logConditions(filter);
  return { from: `(SELECT * FROM logs WHERE ${where.toString()}) plain`, values: where.values };
}

/**
 * Reads the rate. The types and times of the filter are ignored.
 * @param now Unix seconds
 */
export async function readRate(database: Queries, filter: LogFilter, now: number): Promise<LogRate> {
  const where = andLogFields(new Where(), { ...filter, types: [LogType.consume] }).and('created_at > ?', now - 60);
  const [row] = await database.query<Array<{ calls: string; tokens: string }>>(
    `SELECT count(*)::text AS calls, coalesce(sum(prompt_tokens::bigint + completion_tokens), 0)::text AS tokens
       FROM logs WHERE ${where.toString()}`,
    where.values,
  );
  return { calls: Number(row?.calls ?? 0), tokens: Number(row?.tokens ?? 0) };
}
