import { type FailureKind, failureKinds } from '../../../shared/failure-kind.js';
import { histogramSums, type Range, readSnapshot, type Snapshots, usageFrom } from '../../../billing/rollups/index.js';

/** Totals of the calls of a model in a group. */
export interface HealthCounts {
  readonly modelName: string;
  readonly group: string;
  readonly served: number;
  /** Number of failed calls, without requests that the provider refused as invalid. */
  readonly failed: number;
  readonly completionTokens: number;
  readonly durationMs: number;
  /**
   * Number of streamed responses by milliseconds to their first data (`shared/latency.ts`). All rows have all buckets.
   */
  readonly firstTokenBuckets: readonly number[];
  /** The last failure of any kind except REQUEST. */
  readonly lastFailure: { readonly kind: FailureKind; /** Unix seconds. */ readonly at: number } | null;
}

interface Row {
  readonly model_name: string;
  readonly group: string;
  readonly served: string;
  readonly tokens: string;
  readonly duration: string;
  readonly buckets: readonly string[];
}

interface FailureRow {
  readonly model_name: string;
  readonly group: string;
  readonly failed: string;
  readonly kind: string;
  readonly last_at: string;
}

const failuresSql = `
  SELECT model_name, "group", sum(calls)::text AS failed, (array_agg(kind ORDER BY last_at DESC))[1] AS kind,
         max(last_at)::text AS last_at
    FROM model_failures WHERE hour >= $1 AND hour < $2 AND kind <> 'REQUEST' GROUP BY model_name, "group"`;

const fields = ['model_name', '"group"', 'calls', 'completion_tokens', 'duration_ms', 'first_token_buckets'];

/**
 * Reads counts from the rollups, and of the running hour from its rows.
 * @param range full hours
 */
export async function readHealthCounts(database: Snapshots, range: Range): Promise<HealthCounts[]> {
  const [served, failures] = await readSnapshot(database, async (transaction, state) => {
    const from = usageFrom(
      { ranges: [range], columns: ['model_name', 'group'], condition: 'TRUE', longest: 'DAY', fields },
      state,
    );
    const sql = `SELECT model_name, "group", sum(calls)::text AS served, sum(completion_tokens)::text AS tokens,
        sum(duration_ms)::text AS duration, ARRAY[${histogramSums('first_token_buckets')}]::text[] AS buckets
      FROM ${from} GROUP BY model_name, "group"`;
    return [
      await transaction.query<Row[]>(sql),
      await transaction.query<FailureRow[]>(failuresSql, [range.from, range.end]),
    ] as const;
  });
  const found = new Map<string, HealthCounts>();
  for (const row of served) {
    found.set(keyOf(row), {
      ...emptyCounts(row, row.buckets.length),
      served: Number(row.served),
      completionTokens: Number(row.tokens),
      durationMs: Number(row.duration),
      firstTokenBuckets: row.buckets.map(Number),
    });
  }
  for (const row of failures) {
    const known = found.get(keyOf(row)) ?? emptyCounts(row, 0);
    const kind = failureKinds.find((one) => one === row.kind) ?? 'OTHER';
    found.set(keyOf(row), { ...known, failed: Number(row.failed), lastFailure: { kind, at: Number(row.last_at) } });
  }
  return [...found.values()].filter(({ served: calls, failed }) => calls + failed > 0).sort(byName);
}

const keyOf = ({ model_name, group }: Pick<Row, 'model_name' | 'group'>): string => `${group}\0${model_name}`;

const emptyCounts = ({ model_name, group }: Pick<Row, 'model_name' | 'group'>, buckets: number): HealthCounts => ({
  modelName: model_name,
  group,
  served: 0,
  failed: 0,
  completionTokens: 0,
  durationMs: 0,
  firstTokenBuckets: Array.from({ length: buckets }, () => 0),
  lastFailure: null,
});

const byName = (left: HealthCounts, right: HealthCounts): number =>
  compare(left.modelName, right.modelName) || compare(left.group, right.group);

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);
