import type { CsvColumn } from '../../shared/csv.js';
import type { UsageRow } from './usage-row.js';
import { dateOf } from '../../shared/clock.js';

export type UsageColumns = ReadonlyArray<CsvColumn<UsageRow>>;

const columns: UsageColumns = [
  ['time', ({ time }) => (time === null ? null : dateOf(time).toISOString())],
  ['user_id', ({ key }) => key.userId ?? null],
  ['username', ({ key }) => key.username ?? null],
  ['token_id', ({ key }) => key.tokenId ?? null],
  ['token', ({ key }) => key.tokenName ?? null],
  ['channel', ({ key }) => key.channelId ?? null],
  ['channel_name', ({ key }) => key.channelName ?? null],
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
  ['member', ({ key }) => key.memberName ?? null],
  ['project_id', ({ key }) => key.projectId ?? null],
  ['project', ({ key }) => key.projectName ?? null],
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
