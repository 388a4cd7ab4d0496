import { percentile } from '../../shared/latency.js';

/** Sums over calls. A call that failed was not charged and has no duration. */
export interface UsageTotals {
  readonly calls: number;
  readonly streamCalls: number;
  readonly failedCalls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
  readonly cachedTokens: number;
  readonly quota: number;
  readonly usd: number;
  /** Null without calls. */
  readonly averageMilliseconds: number | null;
  readonly p95Milliseconds: number | null;
  /** Share of the calls that failed, 0 to 1; null without any. */
  readonly errorRate: number | null;
}

/** One group; fields of dimensions that were not asked for are null. */
export interface UsageRow extends UsageTotals {
  /** Start of the hour or UTC day, Unix seconds. */
  readonly time: number | null;
  readonly userId: number | null;
  readonly username: string | null;
  readonly tokenId: number | null;
  readonly tokenName: string | null;
  readonly channelId: number | null;
  readonly channelName: string | null;
  readonly modelName: string | null;
  readonly group: string | null;
}

type SumName =
  | 'calls'
  | 'streamCalls'
  | 'failedCalls'
  | 'promptTokens'
  | 'completionTokens'
  | 'cachedTokens'
  | 'quota'
  | 'durationMs';

export type SumRow = Readonly<Record<SumName, string>> & { readonly buckets: readonly string[] };

/** What tells a group apart. */
export interface GroupKey {
  readonly time?: string;
  readonly userId?: number;
  readonly tokenId?: number;
  readonly channelId?: number;
  readonly modelName?: string;
  readonly group?: string;
}

export type GroupRow = SumRow & GroupKey;

/** How many groups there are. */
export interface CountedGroups {
  readonly groups: string;
}

export function toTotals(row: SumRow, quotaPerUnit: number): UsageTotals {
  const calls = Number(row.calls);
  const failedCalls = Number(row.failedCalls);
  const promptTokens = Number(row.promptTokens);
  const completionTokens = Number(row.completionTokens);
  const quota = Number(row.quota);
  return {
    calls,
    streamCalls: Number(row.streamCalls),
    failedCalls,
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    cachedTokens: Number(row.cachedTokens),
    quota,
    usd: quota / quotaPerUnit,
    averageMilliseconds: calls === 0 ? null : Math.round(Number(row.durationMs) / calls),
    p95Milliseconds: percentile(row.buckets.map(Number), 0.95),
    errorRate: calls + failedCalls === 0 ? null : failedCalls / (calls + failedCalls),
  };
}

export interface Names {
  readonly users: ReadonlyMap<number, string>;
  readonly tokens: ReadonlyMap<number, string>;
  readonly channels: ReadonlyMap<number, string>;
}

export const toUsageRow = (row: GroupRow, names: Names, quotaPerUnit: number): UsageRow => ({
  ...toTotals(row, quotaPerUnit),
  time: row.time === undefined ? null : Number(row.time),
  userId: row.userId ?? null,
  username: named(names.users, row.userId),
  tokenId: row.tokenId ?? null,
  tokenName: named(names.tokens, row.tokenId),
  channelId: row.channelId ?? null,
  channelName: named(names.channels, row.channelId),
  modelName: row.modelName ?? null,
  group: row.group ?? null,
});

const named = (names: ReadonlyMap<number, string>, id: number | undefined): string | null =>
  id === undefined ? null : (names.get(id) ?? null);
