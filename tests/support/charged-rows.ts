import {
  explainCharge,
  explainCost,
  type ChargedRow,
} from '../../server/src/modules/pricing/explain-charge.service.js';

type Query = (sql: string, values?: unknown[]) => Promise<object[]>;

interface NamedRow extends ChargedRow {
  readonly requestId: string;
}

/** Charged log rows, newest first. */
export async function chargedRows(query: Query, count = 1_000_000): Promise<NamedRow[]> {
  const rows = (await query(
    `SELECT request_id, quota::float8, prompt_tokens, completion_tokens, other FROM logs
     WHERE type = 2 ORDER BY id DESC LIMIT $1`,
    [count],
  )) as Array<Record<string, unknown>>;
  return rows.map((row) => ({
    requestId: String(row['request_id']),
    quota: Number(row['quota']),
    promptTokens: Number(row['prompt_tokens']),
    completionTokens: Number(row['completion_tokens']),
    other: JSON.parse(String(row['other'])) as Record<string, unknown>,
  }));
}

/** Rows whose charge or cost differs from the one recomputed from their own numbers; none in a correct log. */
export async function unexplained(query: Query): Promise<object[]> {
  const rows = await chargedRows(query);
  return rows
    .map((row) => ({ ...row, explained: explainCharge(row), cost: explainCost(row) }))
    .filter(({ quota, explained, cost }) => quota !== explained.quota || cost?.includes('differs') === true);
}
