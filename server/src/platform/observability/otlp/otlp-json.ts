import type { Attributes, AttributeValue, EndedSpan } from './span.js';

/** One exported metric in the form of the registry: cumulative since the start of the process. */
export interface ReadMetric {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly points: MetricPoints;
}

export type MetricPoints =
  | { readonly kind: 'sum' | 'gauge'; readonly values: readonly NumberPoint[] }
  | { readonly kind: 'histogram'; readonly values: readonly HistogramPoint[] };

export interface NumberPoint {
  readonly attributes: Attributes;
  readonly value: number;
}

export interface HistogramPoint {
  readonly attributes: Attributes;
  readonly count: number;
  readonly sum: number;
  /** Upper bounds in ascending order. */
  readonly bounds: readonly number[];
  /** One more than the bounds: the last one counts everything above them. The counts are not cumulative. */
  readonly buckets: readonly number[];
}

/** Resource attributes of every export, so that a backend knows from which process it came. */
export interface OtlpOrigin {
  readonly resource: Attributes;
  readonly version: string;
}

const scopeOf = ({ version }: OtlpOrigin): object => ({ name: 'tollgate', version });

/**
 * `ExportTraceServiceRequest` in the JSON mapping of OTLP: identifiers are hexadecimal, 64-bit integers are strings,
 * enums are numbers.
 */
export function toTraceRequest(spans: readonly EndedSpan[], origin: OtlpOrigin): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: toKeyValues(origin.resource) },
        scopeSpans: [{ scope: scopeOf(origin), spans: spans.map(toSpan) }],
      },
    ],
  });
}

function toSpan(span: EndedSpan): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.traceState === '' ? {} : { traceState: span.traceState }),
    ...(span.parentSpanId === null ? {} : { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: span.kind,
    startTimeUnixNano: unixNano(performance.timeOrigin + span.startedAt),
    endTimeUnixNano: unixNano(performance.timeOrigin + span.endedAt),
    attributes: toKeyValues(span.attributes),
    status: span.error === null ? {} : { code: 2, message: span.error },
  };
}

/** `ExportMetricsServiceRequest`. @param now Unix milliseconds */
export function toMetricsRequest(metrics: readonly ReadMetric[], origin: OtlpOrigin, now: number): string {
  const times = { startTimeUnixNano: unixNano(performance.timeOrigin), timeUnixNano: unixNano(now) };
  return JSON.stringify({
    resourceMetrics: [
      {
        resource: { attributes: toKeyValues(origin.resource) },
        scopeMetrics: [{ scope: scopeOf(origin), metrics: metrics.map((metric) => toMetric(metric, times)) }],
      },
    ],
  });
}

/** The value of `AGGREGATION_TEMPORALITY_CUMULATIVE`. */
const cumulative = 2;

function toMetric({ name, description, unit, points }: ReadMetric, times: object): object {
  const head = { name, description, unit };
  if (points.kind === 'histogram') {
    const dataPoints = points.values.map(({ attributes, count, sum, bounds, buckets }) => ({
      ...times,
      attributes: toKeyValues(attributes),
      count: String(count),
      sum,
      explicitBounds: bounds,
      bucketCounts: buckets.map(String),
    }));
    return { ...head, histogram: { aggregationTemporality: cumulative, dataPoints } };
  }
  const dataPoints = points.values.map(({ attributes, value }) => ({
    ...times,
    attributes: toKeyValues(attributes),
    asDouble: value,
  }));
  return points.kind === 'gauge'
    ? { ...head, gauge: { dataPoints } }
    : { ...head, sum: { aggregationTemporality: cumulative, isMonotonic: true, dataPoints } };
}

function toKeyValues(attributes: Attributes): object[] {
  const list: object[] = [];
  for (const key in attributes) {
    const value = attributes[key];
    if (value !== undefined) list.push({ key, value: toValue(value) });
  }
  return list;
}

function toValue(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((text) => ({ stringValue: text })) } };
}

const microseconds = 1000;

/** @param milliseconds since 1970, with fractions: microseconds are kept */
const unixNano = (milliseconds: number): string => `${BigInt(Math.round(milliseconds * microseconds))}000`;
