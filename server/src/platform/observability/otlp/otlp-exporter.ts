import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Agent, request } from 'undici';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics.js';
import type { GenAiMetrics } from './gen-ai-metrics.js';
import { toMetricsRequest, toTraceRequest, type OtlpOrigin } from './otlp-json.js';
import type { OtlpSettings, OtlpTarget } from './otlp-settings.js';
import { readRegistry } from './registry-metrics.js';
import type { EndedSpan } from './span.js';
import { DropOldestQueue } from './span-queue.js';

export interface OtlpExporterDeps {
  readonly settings: OtlpSettings;
  readonly metrics: Metrics;
  readonly genAi: GenAiMetrics;
  readonly logger: Logger;
  readonly version: string;
}

/** Milliseconds that a stop waits for the last spans. */
const stopMilliseconds = 2_000;
/**
 * Milliseconds before the first retry while the collector is unavailable. Each pause is twice as long as the previous
 * one.
 */
const firstPause = 1_000;
const longestPause = 30_000;
const compress = promisify(gzip);

type SendResult = 'sent' | 'refused' | 'retry';

/**
 * Sends spans and metrics to a collector by OTLP/HTTP as JSON. Calls only add to a bounded queue; everything else happens
 * on timers. While the collector is unavailable the queue keeps the newest spans.
 */
export class OtlpExporter {
  private readonly queue: DropOldestQueue<EndedSpan>;
  private readonly origin: OtlpOrigin;
  private readonly agent = new Agent({ connections: 2, keepAliveTimeout: 30_000 });
  private readonly timers: NodeJS.Timeout[] = [];
  private sending: Promise<void> | null = null;
  private isScheduled = false;
  private pause = 0;
  private pausedUntil = 0;
  private isUnavailable = false;
  private isStopped = false;

  constructor(private readonly deps: OtlpExporterDeps) {
    const { settings, version } = deps;
    this.queue = new DropOldestQueue(settings.queueSize);
    this.origin = { version, resource: { ...settings.resource, 'service.version': version } };
  }

  /** Number of spans that wait. */
  get waiting(): number {
    return this.queue.size;
  }

  start(): void {
    const { traces, metrics, traceInterval, metricInterval } = this.deps.settings;
    if (traces) this.timers.push(setInterval(() => void this.flush(), traceInterval).unref());
    if (metrics) this.timers.push(setInterval(() => void this.sendMetrics(metrics), metricInterval).unref());
  }

  /** Adds an ended span. Never waits and never fails. */
  add(span: EndedSpan): void {
    this.queue.add(span);
    if (this.isScheduled || this.queue.size < this.deps.settings.batchSize || performance.now() < this.pausedUntil)
      return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      void this.flush();
    });
  }

  /** Sends the last spans and metrics, within two seconds. */
  async stop(): Promise<void> {
    this.isStopped = true;
    for (const timer of this.timers) clearInterval(timer);
    this.pausedUntil = 0;
    const { metrics } = this.deps.settings;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, stopMilliseconds)));
    await Promise.race([Promise.all([this.flush(), metrics && this.sendMetrics(metrics)]), late]);
    clearTimeout(timer);
    await this.agent.destroy();
  }

  /** Sends all waiting spans in batches, unless a flush is in progress. */
  flush(): Promise<void> {
    this.sending ??= this.sendAll().finally(() => (this.sending = null));
    return this.sending;
  }

  private async sendAll(): Promise<void> {
    const { settings, metrics } = this.deps;
    const { traces } = settings;
    if (!traces) return;
    this.countDropped();
    while (this.queue.size > 0 && performance.now() >= this.pausedUntil) {
      const batch = this.queue.take(settings.batchSize);
      const result = await this.post(traces, toTraceRequest(batch, this.origin));
      if (result === 'retry') {
        this.queue.putBack(batch);
        this.pause = Math.min(longestPause, Math.max(firstPause, this.pause * 2));
        this.pausedUntil = performance.now() + this.pause;
        break;
      }
      this.pause = 0;
      metrics.otlpSpans.inc({ result: result === 'sent' ? 'sent' : 'refused' }, batch.length);
    }
    this.countDropped();
  }

  private countDropped(): void {
    const dropped = this.queue.takeDropped();
    if (dropped > 0) this.deps.metrics.otlpSpans.inc({ result: 'dropped' }, dropped);
  }

  private async sendMetrics(target: OtlpTarget): Promise<void> {
    const { metrics, genAi } = this.deps;
    // Missed exports need no retry: totals are cumulative.
    const read = [...genAi.read(), ...(await readRegistry(metrics))];
    await this.post(target, toMetricsRequest(read, this.origin, Date.now()));
  }

  private async post({ url, headers }: OtlpTarget, json: string): Promise<SendResult> {
    const { settings } = this.deps;
    try {
      const body = settings.gzip ? await compress(json) : json;
      const response = await request(url, {
        method: 'POST',
        dispatcher: this.agent,
        headersTimeout: settings.timeout,
        bodyTimeout: settings.timeout,
        signal: AbortSignal.timeout(settings.timeout),
        headers: {
          'content-type': 'application/json',
          ...(settings.gzip ? { 'content-encoding': 'gzip' } : {}),
          ...headers,
        },
        body,
      });
      await response.body.dump();
      const { statusCode: status } = response;
      if (status >= 200 && status < 300) this.available();
      else this.unavailable(url, `status ${status}`);
      return status < 300 ? 'sent' : retried.has(status) ? 'retry' : 'refused';
    } catch (error) {
      this.unavailable(url, error instanceof Error ? error.message : String(error));
      return 'retry';
    }
  }

  private available(): void {
    if (this.isUnavailable) this.deps.logger.info('the OTLP collector accepts data again');
    this.isUnavailable = false;
  }

  /** Logs that the collector is unavailable, once for each outage. */
  private unavailable(url: string, reason: string): void {
    if (!this.isUnavailable && !this.isStopped)
      this.deps.logger.warn({ url: new URL(url).origin, reason }, 'the OTLP collector does not accept data');
    this.isUnavailable = true;
  }
}

/** The statuses that the specification of OTLP/HTTP calls retryable. */
const retried: ReadonlySet<number> = new Set([429, 502, 503, 504]);
