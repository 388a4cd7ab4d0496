import type { Metrics } from '../metrics.js';
import type { HistogramPoint, MetricPoints, ReadMetric } from './otlp-json.js';

/** A series as the registry reports it. A histogram has one for each bucket, with the label `le`, and `_sum` and `_count`. */
interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
}

/** Returns all metrics of `/metrics` in the form for OTLP. */
export async function readRegistry(metrics: Metrics): Promise<ReadMetric[]> {
  const read: ReadMetric[] = [];
  for (const { name, help, type, values } of await metrics.read()) {
    const points = pointsOf(name, String(type), values as unknown as readonly Sample[]);
    if (points && points.values.length > 0) read.push({ name, description: help, unit: '', points });
  }
  return read;
}

function pointsOf(name: string, type: string, samples: readonly Sample[]): MetricPoints | null {
  if (type === 'histogram') return { kind: 'histogram', values: histograms(name, samples) };
  if (type !== 'counter' && type !== 'gauge') return null;
  const values = samples
    .filter(({ value }) => Number.isFinite(value))
    .map(({ labels, value }) => ({ attributes: labels, value }));
  return { kind: type === 'counter' ? 'sum' : 'gauge', values };
}

function histograms(name: string, samples: readonly Sample[]): HistogramPoint[] {
  const points = new Map<string, { -readonly [Key in keyof HistogramPoint]: HistogramPoint[Key] }>();
  const cumulative = new Map<string, Array<readonly [bound: number, count: number]>>();
  for (const { labels, value, metricName } of samples) {
    const { le, ...attributes } = labels;
    const key = JSON.stringify(attributes);
    const point = points.get(key) ?? { attributes, count: 0, sum: 0, bounds: [], buckets: [] };
    points.set(key, point);
    if (metricName === `${name}_sum`) point.sum = value;
    else if (metricName === `${name}_count`) point.count = value;
    else if (le !== undefined) {
      const list = cumulative.get(key) ?? [];
      cumulative.set(key, list);
      list.push([le === '+Inf' ? Infinity : Number(le), value]);
    }
  }
  for (const [key, list] of cumulative) {
    const point = points.get(key);
    if (!point) continue;
    const ascending = list.sort(([one], [other]) => one - other);
    point.bounds = ascending.map(([bound]) => bound).filter(Number.isFinite);
    point.buckets = ascending.map(([, count], at) => count - (ascending[at - 1]?.[1] ?? 0));
  }
  return [...points.values()];
}
