/** Sums over time for charts. Pure. */
export type Granularity = 'hour' | 'day' | 'week';

export interface Point {
  readonly time?: string | null;
  readonly modelName?: string | null;
  readonly quota: number;
  readonly calls: number;
  readonly totalTokens: number;
}

export type Measure = 'quota' | 'calls' | 'totalTokens';

const hour = 3_600_000;

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
  const step = granularity === 'hour' ? hour : granularity === 'day' ? 24 * hour : 7 * 24 * hour;
  const found: number[] = [];
  for (let at = intervalStart(from, granularity); at < to; at += step) found.push(at);
  return found;
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
