import { percentile } from '../../shared/latency.js';
import { maxInt32 } from '../../shared/limits.js';
import { roundedUsd } from '../../shared/quota.js';

/** Totals of calls as the database returns them: 64-bit numbers are texts. */
export interface CounterRow {
  readonly calls: string;
  readonly stream_calls: string;
  readonly failed_calls: string;
  readonly prompt_tokens: string;
  readonly completion_tokens: string;
  readonly cached_tokens: string;
  readonly quota: string;
  readonly duration_ms: string;
  /** Number of calls whose cost is known, the amounts that balances and plans paid for them, and their cost. */
  readonly cost_calls: string;
  readonly cost_quota: string;
  readonly cost_plan_quota: string;
  readonly cost_nano_usd: string;
  readonly duration_buckets: readonly string[];
  readonly first_token_buckets: readonly string[];
  /** Number of users with an answered call. It is counted, so rows of several groups do not add up. */
  readonly active_users: string;
  readonly cache_write_tokens: string;
  /** Billionths of a USD. */
  readonly cache_saved_nano_usd: string;
}

/** Costs of calls: as providers report them, else by the cost of the channel. */
export interface UsageCost {
  readonly upstreamUsd: number;
  /** `usd` minus `upstreamUsd`. A negative margin is a loss. */
  readonly marginUsd: number;
  /** USD that balances paid for these calls. */
  readonly usd: number;
  /** USD of these calls that plans paid: the users had paid for the plans. */
  readonly planUsd: number;
  /** Number of calls whose cost is known. */
  readonly knownCalls: number;
  /** The share of these calls among all successful calls, 0 to 1; 0 without calls. */
  readonly coverage: number;
}

/** Prompt caches of providers. */
export interface UsageCache {
  /** Prompt tokens that providers wrote to their caches. */
  readonly writeTokens: number;
  /** USD that users would have paid beyond their charges if no token had been read from a cache. */
  readonly savedUsd: number;
}

/** Totals of calls. A failed call is not charged and has no duration. */
export class UsageMetrics {
  readonly calls: number;
  readonly streamCalls: number;
  readonly failedCalls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
  readonly cachedTokens: number;
  /** Share of cached tokens among the prompt tokens, 0 to 1; null without any. */
  readonly cachedShare: number | null;
  readonly quota: number;
  readonly usd: number;
  /** Share of failed calls among all calls, 0 to 1; null without any. */
  readonly errorRate: number | null;
  /** Mean duration in milliseconds; null without calls. */
  readonly averageMs: number | null;
  readonly activeUsers: number;
  readonly cost: UsageCost;
  readonly cache: UsageCache;

  constructor(
    private readonly row: CounterRow,
    quotaPerUnit: number,
  ) {
    this.calls = Number(row.calls);
    this.streamCalls = Number(row.stream_calls);
    this.failedCalls = Number(row.failed_calls);
    this.promptTokens = Number(row.prompt_tokens);
    this.completionTokens = Number(row.completion_tokens);
    this.totalTokens = this.promptTokens + this.completionTokens;
    this.cachedTokens = Number(row.cached_tokens);
    this.cachedShare = this.promptTokens === 0 ? null : this.cachedTokens / this.promptTokens;
    this.quota = Number(row.quota);
    this.usd = this.quota / quotaPerUnit;
    const all = this.calls + this.failedCalls;
    this.errorRate = all === 0 ? null : this.failedCalls / all;
    this.averageMs = this.calls === 0 ? null : Math.min(Math.round(Number(row.duration_ms) / this.calls), maxInt32);
    this.activeUsers = Number(row.active_users);
    this.cache = { writeTokens: Number(row.cache_write_tokens), savedUsd: Number(row.cache_saved_nano_usd) / 1e9 };
    const upstreamUsd = Number(row.cost_nano_usd) / 1e9;
    const usd = Number(row.cost_quota) / quotaPerUnit;
    const knownCalls = Number(row.cost_calls);
    this.cost = {
      upstreamUsd,
      usd,
      planUsd: Number(row.cost_plan_quota) / quotaPerUnit,
      marginUsd: roundedUsd(usd - upstreamUsd),
      knownCalls,
      coverage: this.calls === 0 ? 0 : knownCalls / this.calls,
    };
  }

  /**
   * Returns the duration in milliseconds that this share of the calls did not exceed, interpolated inside its bucket;
   * null without calls.
   */
  latencyMs(quantile: number): number | null {
    return percentile(this.row.duration_buckets.map(Number), quantile);
  }

  /** Returns milliseconds until the first data, for this share of the streamed responses; null without any. */
  firstTokenMs(quantile: number): number | null {
    return percentile(this.row.first_token_buckets.map(Number), quantile);
  }
}

/** The relative change against the compared range; null when the compared value is zero. */
export interface UsageChange {
  readonly quota: number | null;
  readonly calls: number | null;
  readonly totalTokens: number | null;
}

export const usageNames = ['username', 'tokenName', 'channelName', 'memberName', 'projectName'] as const;
/** A name beside an id in a row, as it is now; null when there is none any more. */
export type UsageName = (typeof usageNames)[number];

/** The values of a row's dimensions. Dimensions that the query does not group by are absent, and names that it does not ask for. */
export interface UsageKey extends Partial<Readonly<Record<UsageName, string | null>>> {
  /** Whether the row contains all groups outside `top`. */
  readonly isOthers: boolean;
  readonly userId?: number;
  readonly tokenId?: number;
  /** The membership and the project of the keys; 0 for keys without one. */
  readonly memberId?: number;
  readonly projectId?: number;
  readonly channelId?: number;
  readonly modelName?: string;
  readonly group?: string;
  /** The path of the request. */
  readonly endpoint?: string;
  /** Code of the error; null when the row has none. */
  readonly errorCode?: string | null;
  /** The key of the channel, by its last characters; null when the channel has one key only. */
  readonly upstreamKeyName?: string | null;
  /** Id of the provider; null when the channel was deleted. */
  readonly providerId?: number | null;
  /** The tag; null when the channel has none, or was deleted. */
  readonly channelTag?: string | null;
  /** The first second of the Monday of the week in which the user signed up. */
  readonly cohortWeek?: number | null;
}

export interface UsageRow {
  /** Start and exclusive end of the row's bucket, Unix seconds; null without buckets. */
  readonly time: number | null;
  readonly until: number | null;
  readonly key: UsageKey;
  readonly metrics: UsageMetrics;
  readonly compared: UsageMetrics | null;
}

/** Returns the change as a share of the compared range: 0.5 is half more. Null when the compared value is zero. */
export function changeOf({ metrics, compared }: Pick<UsageRow, 'metrics' | 'compared'>): UsageChange | null {
  if (!compared) return null;
  const share = (now: number, before: number): number | null => (before === 0 ? null : (now - before) / before);
  return {
    quota: share(metrics.quota, compared.quota),
    calls: share(metrics.calls, compared.calls),
    totalTokens: share(metrics.totalTokens, compared.totalTokens),
  };
}
