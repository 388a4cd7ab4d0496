import { storableJson } from '../../shared/json.js';
import { maxTokens } from './ledger-lines.js';
import type { Transaction } from './ledger.js';

/** A part of a log row that becomes a row of its own. */
export interface RowPart {
  readonly quota: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Keys of docs/reference/relay/usage-log.md#the-other-field. */
  readonly other: Readonly<Record<string, unknown>>;
}

interface SplitRow {
  readonly id: string;
  readonly at: string;
  readonly quota: string;
  readonly tokens: string;
  readonly other: string;
}

const partsAtOnce = 500;

const columns = `created_at, request_id, type, user_id, username, token_id, token_name, channel_id, model_name, "group",
      use_time, is_stream, content`;

/** Budgets and the plan are those of the whole row, and written by the settlement. */
const insertParts = `
  INSERT INTO logs (${columns}, quota, prompt_tokens, completion_tokens, other)
  SELECT ${columns}, p.q, p.i, p.o,
         CASE WHEN l.kept IS NULL THEN p.other ELSE (p.other::jsonb || l.kept)::text END
    FROM (SELECT *, (SELECT jsonb_object_agg(key, value) FROM jsonb_each(other::jsonb) WHERE key IN ('budgets', 'plan')) AS kept
            FROM logs WHERE created_at = $1 AND id = $2) l
   CROSS JOIN ROWS FROM (json_to_recordset($3::json) AS (q bigint, i integer, o integer, other text))
              WITH ORDINALITY AS p(q, i, o, other, place)
   ORDER BY p.place`;

/** Leaves the row with the rest, and with the details of the last part. Returns what the usage tables do not count yet. */
const keepRest = `
  WITH parts AS (
    SELECT count(*) AS calls, count(*) FILTER (WHERE quota <> 0) AS paid, coalesce(sum(quota), 0) AS quota,
           coalesce(sum(prompt_tokens), 0) AS prompt, coalesce(sum(completion_tokens), 0) AS completion
      FROM logs WHERE created_at = $1 AND request_id = $3 AND type = 2 AND id <> $2
  ), whole AS (
    SELECT quota, (other::jsonb ? 'plan') AS is_of_plan FROM logs WHERE created_at = $1 AND id = $2
  )
  UPDATE logs l SET quota = l.quota - p.quota, prompt_tokens = l.prompt_tokens - p.prompt,
                    completion_tokens = l.completion_tokens - p.completion,
                    other = (l.other::jsonb - $5::text[] || $4::jsonb)::text
    FROM parts p, whole b WHERE l.created_at = $1 AND l.id = $2
    RETURNING l.user_id, l.token_id, l.channel_id, l.model_name, l."group", p.calls,
              CASE WHEN b.is_of_plan THEN p.paid + (l.quota <> 0)::integer - (b.quota <> 0)::integer ELSE 0 END AS paid`;

/** @param cost parameters of the further calls whose cost is known, and of billionths of a USD */
const countParts = (table: string, time: string, seconds: number, keys: readonly string[]): string => `
  UPDATE ${table} SET calls = calls + $1::bigint, logged_calls = logged_calls + $1::bigint, cost_calls = cost_calls + $2::bigint,
         cost_nano_usd = cost_nano_usd + $3::bigint,
         duration_buckets[1] = coalesce(duration_buckets[1], 0) + $1::bigint
   WHERE ${time} = $4::bigint - $4::bigint % ${seconds} AND ${keys.map((key, index) => `${key} = $${index + 5}`).join(' AND ')}`;

const countHour = countParts('usage_hourly', 'hour', 3600, [
  ...['channel_id', 'model_name', 'user_id', 'token_id', '"group"'],
]);
const countFiveMinutes = countParts('usage_five_minutes', 'start', 300, ['channel_id', 'model_name']);

const countPlan = `
  UPDATE plan_usage_hourly SET calls = calls + $1::bigint WHERE hour = $2::bigint - $2::bigint % 3600 AND account_id = $3`;

/**
 * Replaces the log row of a settled call by one for each of its parts, which have the same sums. Only counts of calls
 * change, so balances are not touched. A row stays as it is if it was not written, if the balance did not cover its charge,
 * or if its tokens do not fit into its columns.
 * @param parts whose durations are 0; all but the last are rows of their own, the last one gets the rest
 * @param cost billionths of a USD by which the costs of the parts exceed that of the whole; null where the cost is not known
 */
export async function splitRow(
  transaction: Transaction,
  requestId: string,
  parts: Iterable<RowPart>,
  cost: number | null,
): Promise<void> {
  const rows = await queried<SplitRow>(
    transaction,
    `SELECT id, created_at AS at, quota, prompt_tokens::bigint + completion_tokens AS tokens, other FROM logs
      WHERE request_id = $1 AND type = 2 AND greatest(prompt_tokens, completion_tokens) < ${maxTokens}`,
    [requestId],
  );
  const [row] = rows;
  if (!row || rows.length > 1) return;
  const details = JSON.parse(row.other) as Readonly<Record<string, unknown>>;
  if ('uncharged_quota' in details) return;
  const place = [row.at, row.id];
  let [waiting, tokens, quota]: [RowPart[], number, number] = [[], 0, 0];
  const insert = async (chunk: readonly RowPart[]): Promise<void> => {
    if (chunk.length > 0) await transaction.query(insertParts, [...place, `[${chunk.map(toJson).join(',')}]`]);
  };
  let last: RowPart | null = null;
  for (const part of parts) {
    if (last) waiting.push(last);
    tokens += part.promptTokens + part.completionTokens;
    quota += last?.quota ?? 0;
    last = part;
    if (waiting.length < partsAtOnce) continue;
    await insert(waiting);
    waiting = [];
  }
  await insert(waiting);
  if (!last || tokens !== Number(row.tokens) || quota > Number(row.quota)) {
    throw new Error(`the parts of log row ${row.id} have other sums`);
  }
  const other = withCarry(last.other, details);
  const [counted] = await queried<Record<string, string | number>>(transaction, keepRest, [
    ...[...place, requestId, storableJson(other)],
    // Details of the whole that the last part does not have.
    Object.keys(details).filter((key) => !(key in other) && key !== 'budgets' && key !== 'plan'),
  ]);
  const { calls = 0, paid = 0, channel_id: channel, model_name: model, user_id: user } = counted ?? {};
  const counts = [calls, cost === null ? 0 : calls, cost ?? 0, row.at, channel, model];
  if (Number(paid) !== 0) await transaction.query(countPlan, [paid, row.at, user]);
  await transaction.query(countFiveMinutes, counts);
  await transaction.query(countHour, [...counts, user, counted?.['token_id'], counted?.['group']]);
}

const queried = async <Row>(transaction: Transaction, sql: string, values: unknown[]): Promise<Row[]> => {
  const result = await transaction.query(sql, values);
  // An UPDATE returns its rows beside their number.
  return (Array.isArray(result) && Array.isArray(result[0]) ? result[0] : result) as Row[];
};

const toJson = ({ quota, promptTokens, completionTokens, other }: RowPart): string =>
  storableJson({ q: quota, i: promptTokens, o: completionTokens, other: storableJson(other) });

/** Adds the fractions that the whole carried from and to other calls to the fractions of the parts. */
function withCarry(other: RowPart['other'], { carried }: Readonly<Record<string, unknown>>): RowPart['other'] {
  const [before, after] = Array.isArray(carried) ? (carried as [number, number]) : [0, 0];
  const [ofParts] = (other['carried'] ?? [0]) as [number];
  const { carried: _carried, ...rest } = other;
  return ofParts + before === 0 && after === 0 ? rest : { carried: [ofParts + before, after], ...rest };
}
