/** Sums over time for charts. Pure. */
export type Granularity = 'hour' | 'day' | 'week';

export interface Point {
  readonly time?: string | null;
  readonly modelName?: string | null;
  readonly quota: number;
  readonly calls: number;
  readonly totalTokens: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export type Measure = 'quota' | 'calls' | 'totalTokens' | 'promptTokens' | 'completionTokens';

const hour = 3_600_000;
const steps: Readonly<Record<Granularity, number>> = { hour, day: 24 * hour, week: 7 * 24 * hour };

/** The start of the interval a time lies in; weeks begin on Monday. Hours and days are the server's, in UTC. */
export function intervalStart(time: number, granularity: Granularity): number {
  const date = new Date(time);
  date.setUTCMinutes(0, 0, 0);
  if (granularity === 'hour') return date.getTime();
  date.setUTCHours(0);
  if (granularity === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.getTime();
}

/** Every interval of the range, also those without usage. */
export function intervals(from: number, to: number, granularity: Granularity): number[] {
  const found: number[] = [];
  for (let at = intervalStart(from, granularity); at < to; at += steps[granularity]) found.push(at);
  return found;
}

/**
 * Values of intervals as means of their minutes. The first and the last interval are only as long as they lie in the
 * range; the server counts whole hours, so the range begins with the hour it begins in.
 */
export function perMinute(
  values: readonly number[],
  starts: readonly number[],
  granularity: Granularity,
  from: number,
  to: number,
): number[] {
  const begin = intervalStart(from, 'hour');
  return values.map((value, index) => {
    const start = starts[index] ?? 0;
    const milliseconds = Math.min(start + steps[granularity], to) - Math.max(start, begin);
    return value / Math.max(1, milliseconds / 60_000);
  });
}

/** One number for each interval; 0 where nothing was used. */
export function valuesOver(
  points: readonly Point[],
  starts: readonly number[],
  granularity: Granularity,
  measure: Measure,
): number[] {
  const sums = new Map<number, number>();
  for (const point of points) {
    const start = intervalStart(new Date(point.time ?? 0).getTime(), granularity);
    sums.set(start, (sums.get(start) ?? 0) + point[measure]);
  }
  return starts.map((start) => sums.get(start) ?? 0);
}

export interface Series {
  readonly name: string;
  readonly values: readonly number[];
}

/** The dearest models each by itself and all others together, so that the sums of the columns are the totals. */
export function modelSeries(
  points: readonly Point[],
  models: readonly string[],
  starts: readonly number[],
  granularity: Granularity,
  other: string,
): Series[] {
  const named = models.map((name) => ({
    name,
    values: valuesOver(
      points.filter(({ modelName }) => modelName === name),
      starts,
      granularity,
      'quota',
    ),
  }));
  const rest = valuesOver(
    points.filter(({ modelName }) => !models.includes(modelName ?? '')),
    starts,
    granularity,
    'quota',
  );
  return rest.some((value) => value > 0) ? [...named, { name: other, values: rest }] : named;
}
