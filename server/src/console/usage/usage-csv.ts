import type { CsvColumn } from '../../shared/csv.js';
import type { UsageRow } from './usage-row.js';
import { dateOf } from '../../shared/clock.js';

export interface CsvRow extends UsageRow {
  readonly username: string | null;
  readonly tokenName: string | null;
  readonly channelName: string | null;
}

export type UsageColumns = ReadonlyArray<CsvColumn<CsvRow>>;

export const ownColumns: UsageColumns = [
  ['time', ({ time }) => (time === null ? null : dateOf(time).toISOString())],
  ['user_id', ({ key }) => key.userId ?? null],
  ['username', (row) => row.username],
  ['token_id', ({ key }) => key.tokenId ?? null],
  ['token', (row) => row.tokenName],
  ['channel', ({ key }) => key.channelId ?? null],
  ['channel_name', (row) => row.channelName],
  ['model', ({ key }) => key.modelName ?? null],
  ['group', ({ key }) => key.group ?? null],
  ['calls', ({ metrics }) => metrics.calls],
  ['failed_calls', ({ metrics }) => metrics.failedCalls],
  ['prompt_tokens', ({ metrics }) => metrics.promptTokens],
  ['completion_tokens', ({ metrics }) => metrics.completionTokens],
  ['cached_tokens', ({ metrics }) => metrics.cachedTokens],
  ['quota', ({ metrics }) => metrics.quota],
  ['usd', ({ metrics }) => metrics.usd],
  ['average_ms', ({ metrics }) => metrics.averageMs],
  ['p95_ms', ({ metrics }) => metrics.latencyMs(0.95)],
];

/** The columns for admins. Those of costs come last, because scripts read columns by position. */
export const allColumns: UsageColumns = [
  ...ownColumns,
  ['cost_calls', ({ metrics }) => metrics.cost.knownCalls],
  ['cost_usd', ({ metrics }) => metrics.cost.upstreamUsd],
  ['margin_usd', ({ metrics }) => metrics.cost.marginUsd],
  ['known_usd', ({ metrics }) => metrics.cost.usd],
  ['upstream_key', ({ key }) => key.upstreamKeyName ?? null],
];
