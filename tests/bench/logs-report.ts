/** Runs of one query. */
export interface Batch {
  /** Milliseconds of each run. */
  readonly times: readonly number[];
  /** CPU milliseconds of Node and the Postgres backends, all runs together; NaN where unknown. */
  readonly cpu: number;
}

interface Times {
  readonly best: number;
  /** Mean CPU time of Node and the backends. It is meaningful on a busy machine, where the elapsed time is not. */
  readonly cpu: number;
  readonly median: number;
  readonly p95: number;
}

/** The time of one query and the number of rows, for every size, smallest first. */
export interface Result {
  readonly name: string;
  readonly times: readonly Times[];
  /** The number of rows by size. Null when the query returns no rows. */
  readonly rows: ReadonlyArray<number | null>;
}

/** The goals: maximum milliseconds, and maximum ratio to the smallest size. */
const [maxMilliseconds, maxGrowth] = [50, 1.5];
/** A result with more than this many times the rows of the smallest size is not comparable. */
const sameRows = 1.1;

export function timesOf(batches: readonly Batch[]): Times {
  const sorted = batches.flatMap(({ times }) => times).sort((left, right) => left - right);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const cpu = batches.reduce((sum, batch) => sum + batch.cpu, 0) / sorted.length;
  return { best: at(0), cpu, median: at(0.5), p95: at(0.95) };
}

/**
 * Returns the rows of a list or a file. For a page of usage these are all aggregated rows, without rows that only fill gaps.
 */
export function rowsOf(answer: unknown): number | null {
  if (Array.isArray(answer)) return answer.length;
  if (typeof answer === 'string') return answer.split('\n').length - 1;
  const { items, rows, totalCount } = (answer ?? {}) as Record<string, unknown>;
  if (Array.isArray(rows)) return rows.length;
  if (!Array.isArray(items)) return null;
  const filling = items.filter(isWithoutCalls).length;
  return typeof totalCount === 'number' ? totalCount - filling : items.length;
}

function isWithoutCalls(item: unknown): boolean {
  const { metrics } = (item ?? {}) as { metrics?: { calls: number; failedCalls: number } };
  return metrics?.calls === 0 && metrics.failedCalls === 0;
}

/** All sizes of every query side by side. */
export function tableOf(sizes: readonly number[], results: readonly Result[]): string[] {
  const head = ['', `| | ${sizes.join(' | ')} | rows |`, `|---|${sizes.map(() => '---|').join('')}---|`];
  return head.concat(
    results.map(({ name, times, rows }) => {
      const cells = times.map((one) =>
        [one.cpu, one.best, one.median, one.p95].map((value) => value.toFixed(1)).join(' / '),
      );
      return `| ${name} | ${cells.join(' | ')} | ${rows.map((count) => count ?? '').join(' / ')} |`;
    }),
  );
}

/** Queries that miss a goal. */
export function summaryOf(sizes: readonly number[], results: readonly Result[]): string[] {
  const slow = results.flatMap(({ name, times }) =>
    times.flatMap(({ p95 }, place) =>
      p95 > maxMilliseconds ? [`- ${name}: ${p95.toFixed(1)} at ${String(sizes[place])}`] : [],
    ),
  );
  const lines = ['', `95th percentile above ${maxMilliseconds} ms: ${slow.length}`, ...slow];
  if (sizes.length < 2) return lines;
  const isEmpty = ({ rows }: Result): boolean => rows[0] === 0 && rows.at(-1) !== 0;
  const isSame = ({ rows }: Result): boolean => (rows.at(-1) ?? 1) <= (rows[0] ?? 1) * sameRows;
  const compared = results.filter((result) => !isEmpty(result));
  const empty = results.filter(isEmpty);
  lines.push('', `Nothing to answer at ${String(sizes[0])}, so nothing to compare with: ${empty.length}`);
  lines.push(...empty.map(({ name }) => `- ${name}`));
  for (const [label, of] of [
    ['95th percentile', ({ p95 }: Times) => p95],
    ['median', ({ median }: Times) => median],
  ] as const) {
    const growth = ({ times }: Result): number => of(last(times)) / of(first(times));
    const over = compared.filter((result) => growth(result) > maxGrowth);
    const alike = over.filter(isSame).length;
    lines.push(
      '',
      `${label} above ${maxGrowth} times: ${over.length} of ${compared.length}, ${alike} of them with as many rows`,
    );
    const most = [...over].sort((left, right) => growth(right) - growth(left));
    lines.push(
      ...most.map((result) => {
        const { name, times, rows } = result;
        const answered = rows[0] === null ? '' : `, rows ${String(rows[0])} and ${String(rows.at(-1))}`;
        return `- ${name}: ${of(first(times)).toFixed(1)} and ${of(last(times)).toFixed(1)} ms, ${growth(result).toFixed(2)} times${answered}`;
      }),
    );
  }
  return lines;
}

const none: Times = { best: NaN, cpu: NaN, median: NaN, p95: NaN };
const first = (times: readonly Times[]): Times => times[0] ?? none;
const last = (times: readonly Times[]): Times => times.at(-1) ?? none;
