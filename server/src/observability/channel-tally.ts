import type { Counter } from 'prom-client';

/** Registry counters that receive the totals of channels at a scrape. */
export interface ChannelCounters {
  readonly affinityCalls: Counter<'channel' | 'result'>;
  readonly channelTokens: Counter<'channel' | 'kind'>;
}

/** How a call of a session was routed. */
type Result = 'hit' | 'new' | 'moved';

class Totals {
  promptTokens = 0;
  cachedTokens = 0;
  readonly results: Record<Result, number> = { hit: 0, new: 0, moved: 0 };
}

/** Served calls by channel in plain numbers, moved to the registry at each scrape. */
export class ChannelTally {
  private readonly channels = new Map<number, Totals>();

  /** @param result absent for calls without a session */
  served(
    channelId: number,
    usage: { readonly promptTokens: number; readonly cachedTokens: number },
    result: Result | undefined,
  ): void {
    let totals = this.channels.get(channelId);
    if (!totals) this.channels.set(channelId, (totals = new Totals()));
    totals.promptTokens += usage.promptTokens;
    totals.cachedTokens += usage.cachedTokens;
    if (result !== undefined) totals.results[result]++;
  }

  /** Adds the totals to the counters and resets them. */
  flush({ affinityCalls, channelTokens }: ChannelCounters): void {
    for (const [id, totals] of this.channels) {
      const channel = String(id);
      if (totals.promptTokens > 0) channelTokens.inc({ channel, kind: 'prompt' }, totals.promptTokens);
      if (totals.cachedTokens > 0) channelTokens.inc({ channel, kind: 'cached' }, totals.cachedTokens);
      for (const result of ['hit', 'new', 'moved'] as const) {
        if (totals.results[result] > 0) affinityCalls.inc({ channel, result }, totals.results[result]);
      }
    }
    this.channels.clear();
  }
}
