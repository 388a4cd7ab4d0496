import type { Counter, Gauge } from 'prom-client';

/** Where the sums go when somebody asks for them. */
export interface RelayCounters {
  readonly relayCalls: Counter<'route' | 'model' | 'outcome'>;
  readonly relayActive: Gauge<'route'>;
  readonly tokens: Counter<'model' | 'kind'>;
  readonly quotaCharged: Counter<'model'>;
}

/** What the calls of one model came to since the last scrape. */
export class ModelTally {
  promptTokens = 0;
  completionTokens = 0;
  cachedTokens = 0;
  quota = 0;
  /** Finished calls by route, then by outcome. */
  private readonly calls = new Map<string, Map<string, number>>();

  finished(route: string, outcome: string): void {
    let outcomes = this.calls.get(route);
    if (!outcomes) this.calls.set(route, (outcomes = new Map<string, number>()));
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }

  /** Hands everything over and begins again at nothing. */
  tell(model: string, counters: RelayCounters): void {
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
 * Counts relay calls in plain numbers and hands them to the registry at a scrape: finding a labelled series costs more
 * than everything else a call does for its metrics.
 */
export class RelayTally {
  private readonly models = new Map<string, ModelTally>();
  private readonly active = new Map<string, number>();

  /** @param model from a bounded set (`Metrics.knownLabel`) */
  of(model: string): ModelTally {
    let tally = this.models.get(model);
    if (!tally) this.models.set(model, (tally = new ModelTally()));
    return tally;
  }

  /** A call came in (1) or is over (-1). */
  underWay(route: string, change: 1 | -1): void {
    this.active.set(route, (this.active.get(route) ?? 0) + change);
  }

  tell(counters: RelayCounters): void {
    for (const [model, tally] of this.models) tally.tell(model, counters);
    for (const [route, count] of this.active) counters.relayActive.set({ route }, count);
  }
}
