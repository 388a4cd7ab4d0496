import type { CsvColumn } from '../../shared/csv.js';
import type { UsageRow } from './usage-row.js';
import { dateOf } from '../../shared/clock.js';

export interface CsvRow extends UsageRow {
  readonly username: string | null;
  readonly tokenName: string | null;
  readonly channelName: string | null;
  readonly memberName: string | null;
  readonly projectName: string | null;
}

export type UsageColumns = ReadonlyArray<CsvColumn<CsvRow>>;

const columns: UsageColumns = [
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

// Scripts read columns by position, so columns that were added later come last.
const ofOrganisations: UsageColumns = [
  ['member_id', ({ key }) => key.memberId ?? null],
  ['member', (row) => row.memberName],
  ['project_id', ({ key }) => key.projectId ?? null],
  ['project', (row) => row.projectName],
];

export const ownColumns: UsageColumns = [...columns, ...ofOrganisations];

/** The columns for admins. */
export const allColumns: UsageColumns = [
  ...columns,
  ['cost_calls', ({ metrics }) => metrics.cost.knownCalls],
  ['cost_usd', ({ metrics }) => metrics.cost.upstreamUsd],
  ['margin_usd', ({ metrics }) => metrics.cost.marginUsd],
  ['known_usd', ({ metrics }) => metrics.cost.usd],
  ['upstream_key', ({ key }) => key.upstreamKeyName ?? null],
  ...ofOrganisations,
  ['plan_usd', ({ metrics }) => metrics.cost.planUsd],
];
