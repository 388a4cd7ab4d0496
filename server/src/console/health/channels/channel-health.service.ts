import { type MaybeActor, requirePermission } from '../../../shared/actor.js';
import { dateOf, seconds, type Clock } from '../../../shared/clock.js';
import { percentile } from '../../../shared/latency.js';
import type { Snapshots } from '../../../billing/rollups/index.js';
import {
  lastDay,
  lastHour,
  readChannelCounts,
  type ChannelCounts,
  type ChannelFailure,
} from './channel-health-counts.js';

const periods = { HOUR: lastHour, DAY: lastDay };
export type ChannelHealthWindow = keyof typeof periods;
export const channelHealthWindows = Object.keys(periods) as ChannelHealthWindow[];

/** How well a channel served calls. */
export interface ChannelHealth {
  readonly channelId: number;
  readonly channelName: string;
  /** Number of calls that the channel served. */
  readonly calls: number;
  /** Number of failed attempts, without requests that the provider refused as invalid. */
  readonly failedAttempts: number;
  /** Share of failed attempts among all attempts, 0 to 1; null when there are none. */
  readonly failureRate: number | null;
  /** Failed attempts whose calls another channel served. */
  readonly rescuedAttempts: number;
  /** Milliseconds that half of the served calls took at most, and 95 %; null when there are none. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  /** The failures by kind, the latest first. */
  readonly failures: readonly ChannelFailure[];
}

export interface ChannelHealthList {
  readonly from: Date;
  readonly rows: readonly ChannelHealth[];
}

export interface ChannelHealthDeps {
  readonly database: Snapshots;
  readonly clock: Clock;
}

/** Milliseconds for which all readers of a node share one result. */
const cacheMilliseconds = 10_000;

/** Finds the channels that fail or are slow, and the reasons (docs/reference/relay/health.md#figures-of-channels). */
export class ChannelHealthService {
  private readonly cached = new Map<
    ChannelHealthWindow,
    { readonly until: number; list: Promise<ChannelHealthList> }
  >();

  constructor(private readonly deps: ChannelHealthDeps) {}

  /**
   * Returns channels with calls or failed attempts, the most failures first.
   * @param ids absent for all channels
   */
  async list(
    actor: MaybeActor,
    window: ChannelHealthWindow,
    ids?: readonly number[] | null,
  ): Promise<ChannelHealthList> {
    requirePermission(actor, 'channels.read');
    const list = await this.read(window);
    if (!ids) return list;
    const wanted = new Set(ids);
    return { ...list, rows: list.rows.filter(({ channelId }) => wanted.has(channelId)) };
  }

  private read(window: ChannelHealthWindow): Promise<ChannelHealthList> {
    const { clock, database } = this.deps;
    const now = clock.now();
    const known = this.cached.get(window);
    if (known && known.until > now) return known.list;
    const period = periods[window](seconds(clock));
    const list = readChannelCounts(database, period).then((counts) => ({
      from: dateOf(period.from),
      rows: counts.map(toHealth).sort(worstFirst),
    }));
    this.cached.set(window, { until: now + cacheMilliseconds, list });
    list.catch(() => this.cached.delete(window));
    return list;
  }
}

function toHealth({
  channelId,
  channelName,
  served,
  durationBuckets,
  failures,
  rescued,
}: ChannelCounts): ChannelHealth {
  const failedAttempts = failures.reduce((sum, { kind, attempts }) => (kind === 'REQUEST' ? sum : sum + attempts), 0);
  const attempts = served + failedAttempts;
  return {
    channelId,
    channelName,
    calls: served,
    failedAttempts,
    failureRate: attempts === 0 ? null : failedAttempts / attempts,
    rescuedAttempts: rescued,
    p50Ms: percentile(durationBuckets, 0.5),
    p95Ms: percentile(durationBuckets, 0.95),
    failures,
  };
}

const worstFirst = (one: ChannelHealth, other: ChannelHealth): number =>
  other.failedAttempts - one.failedAttempts || (other.p95Ms ?? 0) - (one.p95Ms ?? 0) || one.channelId - other.channelId;
