import type { z } from 'zod';
import type { otlpEnvironment } from './otlp-environment.js';
import type { Attributes } from './span.js';
import { headerValues } from '../../../shared/comma-list.js';

/** The destination of one signal. */
export interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type Sampler = z.infer<(typeof otlpEnvironment)['OTEL_TRACES_SAMPLER']>;

/** Settings of the export from the standard OTEL_* variables. */
export interface OtlpSettings {
  /** The destination of spans. Absent: no spans are exported. */
  readonly traces?: OtlpTarget | undefined;
  /** The destination of metrics. Absent: no metrics are exported. */
  readonly metrics?: OtlpTarget | undefined;
  readonly resource: Attributes;
  readonly gzip: boolean;
  /** Timeout of one request in milliseconds. */
  readonly timeout: number;
  readonly sampler: Sampler;
  /** Share of new traces that are recorded, 0 to 1. */
  readonly ratio: number;
  /** Whether providers get `traceparent`. */
  readonly propagates: boolean;
  /** Maximum number of spans that wait. */
  readonly queueSize: number;
  readonly batchSize: number;
  /** Milliseconds. */
  readonly traceInterval: number;
  readonly metricInterval: number;
}

/** @returns undefined when nothing is exported; the server then creates no exporter */
export function otlpSettings(env: z.infer<z.ZodObject<typeof otlpEnvironment>>): OtlpSettings | undefined {
  if (env.OTEL_SDK_DISABLED) return undefined;
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const target = (own: string | undefined, path: string, headers: string): OtlpTarget | undefined => {
    const url = own ?? (base === undefined ? undefined : `${base}${path}`);
    return url === undefined
      ? undefined
      : { url, headers: { ...readPairs(env.OTEL_EXPORTER_OTLP_HEADERS, true), ...readPairs(headers, true) } };
  };
  const traces =
    env.OTEL_TRACES_EXPORTER === 'none'
      ? undefined
      : target(env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, '/v1/traces', env.OTEL_EXPORTER_OTLP_TRACES_HEADERS);
  const metrics =
    env.OTEL_METRICS_EXPORTER === 'none'
      ? undefined
      : target(env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT, '/v1/metrics', env.OTEL_EXPORTER_OTLP_METRICS_HEADERS);
  if (!traces && !metrics) return undefined;
  const queueSize = env.OTEL_BSP_MAX_QUEUE_SIZE;
  return {
    traces,
    metrics,
    resource: { 'service.name': env.OTEL_SERVICE_NAME, ...readPairs(env.OTEL_RESOURCE_ATTRIBUTES, false) },
    gzip: env.OTEL_EXPORTER_OTLP_COMPRESSION === 'gzip',
    timeout: env.OTEL_EXPORTER_OTLP_TIMEOUT,
    sampler: env.OTEL_TRACES_SAMPLER,
    ratio: env.OTEL_TRACES_SAMPLER_ARG,
    propagates: env.OTEL_PROPAGATORS.length === 0 || env.OTEL_PROPAGATORS.includes('tracecontext'),
    queueSize,
    batchSize: Math.min(env.OTEL_BSP_MAX_EXPORT_BATCH_SIZE, queueSize),
    traceInterval: env.OTEL_BSP_SCHEDULE_DELAY,
    metricInterval: env.OTEL_METRIC_EXPORT_INTERVAL,
  };
}

/**
 * Parses `name=value,…` with percent-encoded values, as the specification defines it for both variables. Names of
 * headers become lower case.
 */
function readPairs(text: string, areHeaders: boolean): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const pair of headerValues(text)) {
    const mark = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, mark)).trim();
    if (name !== '') pairs[areHeaders ? name.toLowerCase() : name] = decoded(pair.slice(mark + 1).trim());
  }
  return pairs;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
