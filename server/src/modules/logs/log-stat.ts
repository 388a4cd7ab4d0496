import type { Queries, RollupState } from '../rollups/rollups.service.js';
import { andLogFields, logConditions, logSource, Where, type LogFilter, type Source } from './log-conditions.js';
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

type LogSums = Omit<LogStat, 'rpm' | 'tpm'>;

/** @param now Unix seconds */
export async function readStat(
  database: Queries,
  filter: LogFilter,
  state: RollupState,
  now: number,
): Promise<LogStat> {
  const charged = { ...filter, type: LogType.consume };
  const sums = await readSums(database, logSource(charged, state) ?? plainSource(charged));
  return { ...sums, ...(await readRate(database, filter, now)) };
}

async function readSums(database: Queries, source: Source): Promise<LogSums> {
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

/** Only log rows have the user's name at that time and the request id. */
function plainSource(filter: LogFilter): Source {
  const where = logConditions(filter);
  return { from: `(SELECT * FROM logs WHERE ${where.toString()}) plain`, values: where.values };
}

async function readRate(database: Queries, filter: LogFilter, now: number): Promise<Pick<LogStat, 'rpm' | 'tpm'>> {
  const where = andLogFields(new Where(), { ...filter, type: LogType.consume }).and('created_at > ?', now - 60);
  const [row] = await database.query<Array<{ calls: string; tokens: string }>>(
    `SELECT count(*)::text AS calls, coalesce(sum(prompt_tokens::bigint + completion_tokens), 0)::text AS tokens
       FROM logs WHERE ${where.toString()}`,
    where.values,
  );
  return { rpm: Number(row?.calls ?? 0), tpm: Number(row?.tokens ?? 0) };
}
