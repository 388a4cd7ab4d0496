import type { Counter, Gauge, Histogram } from 'prom-client';

/** Maximum number of values per label. */
export const labelLimit = 300;

/** Registry counters that receive the totals at a scrape. */
interface RelayCounters {
  readonly relayCalls: Counter<'route' | 'model' | 'outcome'>;
  readonly relayActive: Gauge<'route'>;
  readonly tokens: Counter<'model' | 'kind'>;
  readonly quotaCharged: Counter<'model'>;
}

/** Totals of one model's calls since the last scrape. */
class ModelTally {
  promptTokens = 0;
  completionTokens = 0;
  cachedTokens = 0;
  quota = 0;
  /** Finished calls by route, then by outcome. */
  private readonly calls = new Map<string, Map<string, number>>();

  /** @param outcome `ok`, or the code of the error */
  finished(route: string, outcome: string): void {
    let outcomes = this.calls.get(route);
    if (!outcomes) this.calls.set(route, (outcomes = new Map<string, number>()));
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }

  /** Adds the totals to the counters and resets them. */
  flush(model: string, counters: RelayCounters): void {
    if (this.promptTokens > 0) counters.tokens.inc({ model, kind: 'prompt' }, this.promptTokens);
    if (this.completionTokens > 0) counters.tokens.inc({ model, kind: 'completion' }, this.completionTokens);
    if (this.cachedTokens > 0) counters.tokens.inc({ model, kind: 'cached' }, this.cachedTokens);
    if (this.quota > 0) counters.quotaCharged.inc({ model }, this.quota);
    for (const [route, outcomes] of this.calls) {
      for (const [outcome, count] of outcomes) counters.relayCalls.inc({ route, model, outcome }, count);
    }
    this.promptTokens = this.completionTokens = this.cachedTokens = this.quota = 0;
    this.calls.clear();
  }
}

/**
 * Counts relay calls in plain numbers and passes them to the registry at a scrape, because finding a labelled series
 * costs more than everything else that a call does for its metrics.
 */
export class RelayTally {
  private readonly models = new Map([['none', new ModelTally()]]);
  private readonly active = new Map<string, number>();

  /** Returns the tally of a model; that of `other` when there are so many models that callers may have invented them. */
  of(model: string): ModelTally {
    const known = this.models.get(model);
    if (known) return known;
    if (this.models.size > labelLimit && model !== 'other') return this.of('other');
    const tally = new ModelTally();
    this.models.set(model, tally);
    return tally;
  }

  /** Counts a call that has started (1) or ended (-1). */
  underWay(route: string, change: 1 | -1): void {
    this.active.set(route, (this.active.get(route) ?? 0) + change);
  }

  flush(counters: RelayCounters): void {
    for (const [model, tally] of this.models) tally.flush(model, counters);
    for (const [route, count] of this.active) counters.relayActive.set({ route }, count);
  }
}

/** Registry counters that receive the totals of channels at a scrape. */
interface ChannelCounters {
  readonly affinityCalls: Counter<'channel' | 'result'>;
  readonly channelTokens: Counter<'channel' | 'kind'>;
}

/** How a call of a session was routed. */
type SessionResult = 'hit' | 'new' | 'moved';

/** Totals of one channel's calls since the last scrape. */
class ChannelTotals {
  promptTokens = 0;
  cachedTokens = 0;
  readonly results: Record<SessionResult, number> = { hit: 0, new: 0, moved: 0 };
}

/** Counts served calls by channel in plain numbers, which are transferred to the registry at each scrape. */
export class ChannelTally {
  private readonly channels = new Map<number, ChannelTotals>();

  /** @param result absent for calls without a session */
  served(
    channelId: number,
    usage: { readonly promptTokens: number; readonly cachedTokens: number },
    result: SessionResult | undefined,
  ): void {
    let totals = this.channels.get(channelId);
    if (!totals) this.channels.set(channelId, (totals = new ChannelTotals()));
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

/** Durations after which a histogram gets them. */
const maxKept = 256;

/**
 * Keeps the durations of relay calls and passes them to a histogram many at a time. Finding a labelled series takes a call
 * 2 µs, because its code and data are in no cache of the processor by then, and a fifth of that in a loop.
 */
export class DurationTally {
  private readonly streams = new Map<string, number[]>();
  private readonly others = new Map<string, number[]>();

  constructor(private readonly histogram: Histogram<'route' | 'stream'>) {}

  observe(route: string, isStream: boolean, seconds: number): void {
    const routes = isStream ? this.streams : this.others;
    const kept = routes.get(route);
    if (!kept) routes.set(route, [seconds]);
    else if (kept.push(seconds) >= maxKept) this.pass(kept, route, isStream);
  }

  /** Passes all durations to the histogram. */
  flush(): void {
    for (const [route, kept] of this.streams) this.pass(kept, route, true);
    for (const [route, kept] of this.others) this.pass(kept, route, false);
  }

  private pass(kept: number[], route: string, isStream: boolean): void {
    const labels = { route, stream: String(isStream) };
    for (const seconds of kept.splice(0)) this.histogram.observe(labels, seconds);
  }
}
