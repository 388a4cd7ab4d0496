import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type MetricObjectWithValues,
  type MetricValue,
} from 'prom-client';
import { ChannelTally, DurationTally, labelLimit, RelayTally } from './call-tallies.js';

/** Bounds in seconds, from a cached response to a long reasoning model. */
const callSeconds = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const fastSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const batchSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** All metrics of `/metrics`. One object per server. */
export class Metrics {
  readonly registry = new Registry();
  private readonly seen = new Map<string, Set<string>>();
  private readonly samplers: Array<() => void | Promise<void>> = [];

  /** Finished relay calls. `outcome`: `ok`, `client_error`, `upstream_error`, `client_gone` or `error`. */
  private readonly relayCalls = this.counter('tollgate_relay_calls_total', 'Relay calls finished', [
    'route',
    'model',
    'outcome',
  ]);
  private readonly relayActive = this.gauge('tollgate_relay_calls_active', 'Relay calls in flight', ['route']);
  readonly relayDuration = this.durations(
    'tollgate_relay_duration_seconds',
    'From the first byte of a relay call to the last byte of its response',
  );
  readonly relayFirstByte = this.durations(
    'tollgate_relay_first_byte_seconds',
    'From the start of a relay call to the first byte of its response',
  );
  readonly relayRetries = this.counter('tollgate_relay_retries_total', 'Attempts on another channel', ['route']);
  /** `kind`: `prompt`, `completion` or `cached`. */
  private readonly tokens = this.counter('tollgate_tokens_total', 'Model tokens metered', ['model', 'kind']);
  private readonly quotaCharged = this.counter('tollgate_quota_charged_total', 'Quota charged to users', ['model']);
  /** `result`: `hit`, `new` or `moved`. `channel` is the id of the channel that served the call. */
  private readonly affinityCalls = this.counter(
    'tollgate_affinity_calls_total',
    'Served calls that belong to a session',
    ['channel', 'result'],
  );
  /** `kind`: `prompt`, or `cached`, which is part of it. */
  private readonly channelTokens = this.counter('tollgate_channel_tokens_total', 'Prompt tokens by channel', [
    'channel',
    'kind',
  ]);
  /** `kind`: an HTTP status, `timeout`, `unreachable`, `reset` or `invalid`. `channel` is the channel's id. */
  readonly upstreamErrors = this.counter('tollgate_upstream_errors_total', 'Upstream attempts that failed', [
    'channel',
    'kind',
  ]);
  /** `reason`: `RATE_LIMITED`, `FAILING`, `QUOTA_EXHAUSTED` or `REFUSED`. */
  readonly keysCoolingDown = this.gauge(
    'tollgate_channel_keys_cooling_down',
    'Keys of channels in cooldown, by key and model',
    ['reason'],
    'max',
  );
  /** `kind`: `impossible` for the model, or `unreserved`: possible, but more than was counted and requested. */
  readonly unchargedUsage = this.counter(
    'tollgate_uncharged_usage_total',
    'Calls whose provider reported more tokens than were charged',
    ['channel', 'kind'],
  );
  /** 1 while the node refuses new calls for that reason: `heap`, `event_loop` or `database`. */
  readonly overload = this.gauge(
    'tollgate_overload',
    'Whether new calls are refused because the node is overloaded',
    ['reason'],
    'max',
  );
  readonly shedCalls = this.counter('tollgate_shed_calls_total', 'Calls refused because the node was overloaded', [
    'reason',
  ]);
  /** `result`: `sent`, `refused` by the collector, or `dropped` because too many waited. */
  readonly otlpSpans = this.counter('tollgate_otlp_spans_total', 'Spans for the OTLP collector', ['result']);
  readonly ledgerBatchSize = this.histogram(
    'tollgate_ledger_batch_size',
    'Reservations, settlements and releases that shared one ledger transaction',
    batchSizes,
  );
  readonly ledgerBatchSeconds = this.histogram(
    'tollgate_ledger_batch_seconds',
    'Duration of one ledger transaction',
    fastSeconds,
  );
  readonly ledgerSpooled = this.gauge(
    'tollgate_ledger_spooled',
    'Settlements on disk that wait for the database',
    [],
    'max',
  );
  readonly ledgerWaitingInMemory = this.gauge(
    'tollgate_ledger_waiting_in_memory',
    'Settlements that neither the database nor the disk of the spool takes: lost if the process is killed',
  );
  readonly ledgerSpoolAge = this.gauge(
    'tollgate_ledger_spool_oldest_seconds',
    'Age of the oldest file of settlements that wait for the database, 0 without one',
    [],
    'max',
  );
  readonly ledgerRejected = this.gauge(
    'tollgate_ledger_rejected',
    'Settlements in rejected.jsonl, which the database refused: not charged, kept for a person',
    [],
    'max',
  );
  readonly poolWait = this.histogram(
    'tollgate_database_pool_wait_seconds',
    'How long a query waited for a database connection',
    fastSeconds,
    ['pool'],
  );
  /** `state`: `total`, `idle` or `waiting`. Filled by `watchPool`. */
  readonly poolConnections = this.gauge(
    'tollgate_database_pool_connections',
    'Connections of a pool, and queries that wait for one',
    ['pool', 'state'],
  );
  /** 1 while the shared state uses this node's memory because Redis is unavailable. */
  readonly sharedStateDegraded = this.gauge(
    'tollgate_shared_state_degraded',
    '1 while Redis is unavailable and this node uses its own memory',
    [],
    'max',
  );
  readonly httpDuration = this.histogram(
    'tollgate_http_duration_seconds',
    'Requests outside the relay by route pattern',
    fastSeconds,
    ['method', 'route', 'status'],
  );

  /** Counters of relay calls, transferred to the registry at each scrape. */
  readonly relay = new RelayTally();
  /** Counters of relay calls by channel, transferred to the registry at each scrape. */
  readonly channels = new ChannelTally();

  /**
   * @param withProcess also process, memory, garbage collection and event-loop lag (`nodejs_eventloop_lag_*`)
   * @param gather reads the metrics of every process that serves this site on this machine; null: this one is alone
   */
  constructor(
    withProcess = true,
    private readonly gather:
      (() => Promise<ReadonlyArray<ReadonlyArray<MetricObjectWithValues<MetricValue<string>>>>>) | null = null,
  ) {
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
  beforeScrape(sample: () => void | Promise<void>): void {
    this.samplers.push(sample);
  }

  private counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** @param aggregator how the values of several processes become one: `max` for values that all of them see */
  private gauge<Label extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
    aggregator: 'sum' | 'max' = 'sum',
  ): Gauge<Label> {
    return new Gauge({ name, help, labelNames, aggregator, registers: [this.registry] });
  }

  private histogram<Label extends string = never>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: readonly Label[] = [],
  ): Histogram<Label> {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.registry] });
  }

  private durations(name: string, help: string): DurationTally {
    return new DurationTally(this.histogram(name, help, callSeconds, ['route', 'stream']));
  }

  /** Returns the metrics in the Prometheus text format. */
  async scrape(): Promise<string> {
    if (this.gather) return AggregatorRegistry.aggregate([...(await this.gather())]).metrics();
    await this.fill();
    return this.registry.metrics();
  }

  /** Returns the metrics as values. */
  async read(): Promise<MetricObjectWithValues<MetricValue<string>>[]> {
    await this.fill();
    return this.registry.getMetricsAsJSON();
  }

  private async fill(): Promise<void> {
    for (const sample of this.samplers) await sample();
    const { relayCalls, relayActive, tokens, quotaCharged, affinityCalls, channelTokens } = this;
    this.relay.flush({ relayCalls, relayActive, tokens, quotaCharged });
    this.channels.flush({ affinityCalls, channelTokens });
    this.relayDuration.flush();
    this.relayFirstByte.flush();
  }
}
