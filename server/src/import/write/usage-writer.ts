import { countLog, noUsage, type MovedLog, type Usage } from '../map/logs.js';
import type { Target } from './target.js';

/** The keys of a usage counter. */
interface UsageKey {
  readonly time: number;
  readonly userId: number;
  readonly tokenId: number;
  readonly channelId: number;
  readonly model: string;
  readonly group: string;
}

export interface UsageRow extends UsageKey {
  readonly usage: Usage;
}

const hour = 3600;
const fiveMinutes = 300;

/** Aggregates the usage of log rows by hour and by all keys of `usage_hourly`. */
export function usageOfLogs(logs: readonly MovedLog[]): UsageRow[] {
  return grouped(logs, hour, (log) => [log.userId, log.tokenId, log.channelId, log.modelName, log.group]);
}

function grouped(
  logs: readonly MovedLog[],
  seconds: number,
  keysOf: (log: MovedLog) => [number, number, number, string, string],
): UsageRow[] {
  const rows = new Map<string, UsageRow>();
  for (const log of logs) {
    const time = log.createdAt - (log.createdAt % seconds);
    const keys = keysOf(log);
    const name = `${time}\n${keys.join('\n')}`;
    let row = rows.get(name);
    if (!row) {
      const [userId, tokenId, channelId, model, group] = keys;
      row = { time, userId, tokenId, channelId, model, group, usage: noUsage() };
      rows.set(name, row);
    }
    countLog(row.usage, log);
  }
  return [...rows.values()].filter(({ usage }) => usage.calls > 0 || usage.failedCalls > 0);
}

/**
 * Adds usage before the import. Balances and used counters keep their values: their opening entries and counters, which
 * contained this usage as one amount, change by the same amount.
 */
export async function addUsage(target: Target, rows: readonly UsageRow[]): Promise<void> {
  if (rows.length === 0) return;
  await upsert(target, 'usage_hourly', 'hour', ['user_id', 'token_id', 'channel_id', 'model_name', '"group"'], rows);
  for (const [kind, idOf] of owners) {
    const sums = new Map<number, number>();
    for (const row of rows) sums.set(idOf(row), (sums.get(idOf(row)) ?? 0) + row.usage.quota);
    const amounts = JSON.stringify([...sums].map(([id, quota]) => ({ id, quota, source: `import:${kind}:${id}` })));
    await target.query(
      `UPDATE opening_counters c SET used_quota = c.used_quota - v.quota
         FROM jsonb_to_recordset($1::jsonb) AS v(id integer, quota bigint) WHERE c.kind = $2 AND c.id = v.id`,
      [amounts, kind],
    );
    if (kind === 'channel') continue;
    await target.query(
      `UPDATE ledger_entries e SET amount = e.amount + v.quota
         FROM jsonb_to_recordset($1::jsonb) AS v(source text, quota bigint) WHERE e.source = v.source`,
      [amounts],
    );
  }
}

/** Adds the usage of the last two days in buckets of five minutes, which the channel alerts read. */
export async function addRecentUsage(target: Target, logs: readonly MovedLog[], now: number): Promise<void> {
  const recent = logs.filter(({ createdAt }) => createdAt >= now - 2 * 86_400);
  const rows = grouped(recent, fiveMinutes, (log) => [0, 0, log.channelId, log.modelName, '']);
  if (rows.length > 0) await upsert(target, 'usage_five_minutes', 'start', ['channel_id', 'model_name'], rows);
}

const owners: ReadonlyArray<readonly ['user' | 'token' | 'channel', (row: UsageRow) => number]> = [
  ['user', ({ userId }) => userId],
  ['token', ({ tokenId }) => tokenId],
  ['channel', ({ channelId }) => channelId],
];

const counters = [
  ...['calls', 'stream_calls', 'failed_calls', 'prompt_tokens', 'completion_tokens', 'cached_tokens', 'quota'],
  ...['logged_calls', 'logged_quota', 'duration_ms'],
];
const histograms = ['duration_buckets', 'first_token_buckets'];

async function upsert(
  target: Target,
  table: string,
  time: string,
  keys: readonly string[],
  rows: readonly UsageRow[],
): Promise<void> {
  const names = [time, ...keys, ...counters, ...histograms].join(', ');
  const merged = (column: string): string => `${column} = coalesce((
      SELECT array_agg(coalesce(h.${column}[i], 0) + coalesce(excluded.${column}[i], 0) ORDER BY i)
        FROM generate_series(1, greatest(cardinality(h.${column}), cardinality(excluded.${column}))) i), '{}')`;
  await target.query(
    `INSERT INTO ${table} AS h (${names})
     SELECT ${names} FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb) ORDER BY ${[time, ...keys].join(', ')}
     ON CONFLICT (${[time, ...keys].join(', ')}) DO UPDATE SET
       ${counters.map((name) => `${name} = h.${name} + excluded.${name}`).join(', ')}, ${histograms.map(merged).join(', ')}`,
    [JSON.stringify(rows.map((row) => columnsOf(time, row)))],
  );
}

const columnsOf = (time: string, { usage, ...row }: UsageRow): Record<string, unknown> => ({
  [time]: row.time,
  user_id: row.userId,
  token_id: row.tokenId,
  channel_id: row.channelId,
  model_name: row.model,
  group: row.group,
  calls: usage.calls,
  stream_calls: usage.streamCalls,
  failed_calls: usage.failedCalls,
  prompt_tokens: usage.promptTokens,
  completion_tokens: usage.completionTokens,
  cached_tokens: usage.cachedTokens,
  quota: usage.quota,
  logged_calls: usage.loggedCalls,
  logged_quota: usage.loggedQuota,
  duration_ms: usage.durationMs,
  duration_buckets: usage.durationBuckets,
  first_token_buckets: usage.firstTokenBuckets,
});
