import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Seconds: from a cached response to a long reasoning model. */
const callSeconds = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const fastSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const batchSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** Maximum number of values per label. Values from requests go through `knownLabel`. */
const labelLimit = 300;

/** All metrics of `/metrics`. One object per server. */
export class Metrics {
  readonly registry = new Registry();
  private readonly seen = new Map<string, Set<string>>();
  private readonly samplers: Array<() => void> = [];

  /** Finished relay calls. `outcome`: `ok`, `client_error`, `upstream_error`, `client_gone` or `error`. */
  private readonly relayCalls = new Counter({
    name: 'tollgate_relay_calls_total',
    help: 'Relay calls finished',
    labelNames: ['route', 'model', 'outcome'] as const,
    registers: [this.registry],
  });
  private readonly relayActive = new Gauge({
    name: 'tollgate_relay_calls_active',
    help: 'Relay calls in flight',
    labelNames: ['route'] as const,
    registers: [this.registry],
  });
  readonly relayDuration = new Histogram({
    name: 'tollgate_relay_duration_seconds',
    help: 'From the first byte of a relay call to the last byte of its answer',
    labelNames: ['route', 'stream'] as const,
    buckets: callSeconds,
    registers: [this.registry],
  });
  readonly relayFirstByte = new Histogram({
    name: 'tollgate_relay_first_byte_seconds',
    help: 'From the start of a relay call to the first byte of its answer',
    labelNames: ['route', 'stream'] as const,
    buckets: callSeconds,
    registers: [this.registry],
  });
  readonly relayRetries = new Counter({
    name: 'tollgate_relay_retries_total',
    help: 'Attempts on another channel',
    labelNames: ['route'] as const,
    registers: [this.registry],
  });
  /** `kind`: `prompt`, `completion` or `cached`. */
  private readonly tokens = new Counter({
    name: 'tollgate_tokens_total',
    help: 'Model tokens metered',
    labelNames: ['model', 'kind'] as const,
    registers: [this.registry],
  });
  private readonly quotaCharged = new Counter({
    name: 'tollgate_quota_charged_total',
    help: 'Quota charged to users',
    labelNames: ['model'] as const,
    registers: [this.registry],
  });
  /** `kind`: an HTTP status, `timeout`, `unreachable`, `reset` or `invalid`. `channel` is the channel's id. */
  readonly upstreamErrors = new Counter({
    name: 'tollgate_upstream_errors_total',
    help: 'Upstream attempts that failed',
    labelNames: ['channel', 'kind'] as const,
    registers: [this.registry],
  });
  /** 1 while the node refuses new calls for that reason: `heap`, `event_loop` or `database`. */
  readonly overload = new Gauge({
    name: 'tollgate_overload',
    help: 'Whether new calls are refused because the node is overloaded',
    labelNames: ['reason'] as const,
    registers: [this.registry],
  });
  readonly shedCalls = new Counter({
    name: 'tollgate_shed_calls_total',
    help: 'Calls refused because the node was overloaded',
    labelNames: ['reason'] as const,
    registers: [this.registry],
  });
  readonly ledgerBatchSize = new Histogram({
    name: 'tollgate_ledger_batch_size',
    help: 'Reservations, settlements and releases that shared one ledger transaction',
    buckets: batchSizes,
    registers: [this.registry],
  });
  readonly ledgerBatchSeconds = new Histogram({
    name: 'tollgate_ledger_batch_seconds',
    help: 'Duration of one ledger transaction',
    buckets: fastSeconds,
    registers: [this.registry],
  });
  readonly ledgerSpooled = new Gauge({
    name: 'tollgate_ledger_spooled',
    help: 'Settlements on disk that wait for the database',
    registers: [this.registry],
  });
  readonly poolWait = new Histogram({
    name: 'tollgate_database_pool_wait_seconds',
    help: 'How long a query waited for a database connection',
    labelNames: ['pool'] as const,
    buckets: fastSeconds,
    registers: [this.registry],
  });
  /** `state`: `total`, `idle` or `waiting`. Filled by `watchPool`. */
  readonly poolConnections = new Gauge({
    name: 'tollgate_database_pool_connections',
    help: 'Connections of a pool, and queries that wait for one',
    labelNames: ['pool', 'state'] as const,
    registers: [this.registry],
  });
  /** 1 while the shared state uses this node's memory because Redis is unavailable. */
  readonly sharedStateDegraded = new Gauge({
    name: 'tollgate_shared_state_degraded',
    help: '1 while Redis is unavailable and this node counts alone',
    registers: [this.registry],
  });
  readonly httpDuration = new Histogram({
    name: 'tollgate_http_duration_seconds',
    help: 'Requests outside the relay by route pattern',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: fastSeconds,
    registers: [this.registry],
  });

  /** Counters of relay calls, moved to the registry at each scrape. */
  readonly relay = new RelayTally();

  /** @param withProcess also process, memory, garbage collection and event-loop lag (`nodejs_eventloop_lag_*`) */
  constructor(withProcess = true) {
    if (withProcess) collectDefaultMetrics({ register: this.registry });
  }

  /**
   * Returns the value for the first few hundred of a label, then `other`, so that callers cannot create unbounded
   * series.
   */
  knownLabel(label: string, value: string): string {
    let known = this.seen.get(label);
    if (!known) this.seen.set(label, (known = new Set()));
    if (known.has(value)) return value;
    if (known.size >= labelLimit) return 'other';
    known.add(value);
    return value;
  }

  /** Registers `sample`, which sets gauges just before a scrape. */
  beforeScrape(sample: () => void): void {
    this.samplers.push(sample);
  }

  /** Prometheus text format. */
  async scrape(): Promise<string> {
    for (const sample of this.samplers) sample();
    const { relayCalls, relayActive, tokens, quotaCharged } = this;
    this.relay.tell({ relayCalls, relayActive, tokens, quotaCharged });
    return this.registry.metrics();
  }
}

/** Registry counters that receive the totals at a scrape. */
export interface RelayCounters {
  readonly relayCalls: Counter<'route' | 'model' | 'outcome'>;
  readonly relayActive: Gauge<'route'>;
  readonly tokens: Counter<'model' | 'kind'>;
  readonly quotaCharged: Counter<'model'>;
}

/** Totals of one model's calls since the last scrape. */
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

  /** Adds the totals to the counters and resets them. */
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

  /** A call started (1) or ended (-1). */
  underWay(route: string, change: 1 | -1): void {
    this.active.set(route, (this.active.get(route) ?? 0) + change);
  }

  tell(counters: RelayCounters): void {
    for (const [model, tally] of this.models) tally.tell(model, counters);
    for (const [route, count] of this.active) counters.relayActive.set({ route }, count);
  }
}
