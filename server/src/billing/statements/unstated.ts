import type { EntityManager } from 'typeorm';
import { unixSeconds } from '../../shared/clock.js';
import { paidByPlan } from '../../shared/task-refunds.js';
import type { StatementContent, UsageLine } from './statement-content.js';

/** Movements and usage of an account that are in no statement yet. */
export interface Unstated {
  readonly credits: StatementContent['credits'];
  readonly payments: StatementContent['payments'];
  readonly usage: UsageLine[];
}

/** Runs SQL within a transaction. */
export type Queries = Pick<EntityManager, 'query'>;

interface EntryRow {
  readonly id: string;
  readonly user_id: number;
  readonly kind: string;
  readonly amount: string;
  readonly created_at: Date;
  readonly reference: string;
}

interface UsageRow {
  readonly account_id: number;
  readonly token_id: number;
  readonly token_name: string;
  readonly model_name: string;
  readonly member_id: number | null;
  readonly member_name: string | null;
  readonly project_id: number | null;
  readonly project_name: string | null;
  readonly calls: string;
  readonly prompt_tokens: string;
  readonly completion_tokens: string;
  readonly quota: string;
}

/**
 * The balance of an imported account is an entry of the time of the import, and its earlier usage was imported too. So the entry
 * belongs before all usage, where the account has no statement yet ($3). Reversals of payments have the kind of the payment, and a source of their own. */
const entrySql = `
  SELECT id, user_id, CASE WHEN kind = 'refund' THEN 'task_refund' WHEN kind = 'top_up' AND source LIKE 'reversal:%' THEN 'payment_refund'
                           ELSE kind END AS kind, amount - stated AS amount, created_at,
         CASE WHEN kind <> 'top_up' THEN ''
              WHEN source LIKE 'reversal:%' THEN coalesce((SELECT o.trade_no FROM top_up_reversals r JOIN top_up_orders o ON o.id = r.order_id
                                                            WHERE r.id::text = split_part(source, ':', 2)), '')
              ELSE split_part(source, ':', 2) END AS reference
    FROM ledger_entries
   WHERE user_id = ANY ($1) AND account = 'user' AND amount <> stated
     AND (created_at < $2 OR ($3 AND kind = 'opening' AND note = 'imported'))
   ORDER BY id`;

/**
 * Usage of accounts until an instant that no statement has yet. Usage is counted by UTC hours. Where an instant lies within one, in
 * zones that are not whole hours from UTC, the log has the calls before it; a call without a log row is in the next statement.
 */
const usageSql = `
  SELECT t.account_id, t.token_id, coalesce(k.name, '') AS token_name, t.model_name,
         nullif(k.member_id, 0) AS member_id, coalesce(n.username, '') AS member_name, nullif(k.project_id, 0) AS project_id,
         coalesce(j.name, '') AS project_name,
         t.calls - coalesce(s.calls, 0) AS calls, t.prompt_tokens - coalesce(s.prompt_tokens, 0) AS prompt_tokens,
         t.completion_tokens - coalesce(s.completion_tokens, 0) AS completion_tokens, t.quota - coalesce(s.quota, 0) AS quota
    FROM (SELECT user_id AS account_id, token_id, model_name, sum(calls) AS calls, sum(prompt_tokens) AS prompt_tokens,
                 sum(completion_tokens) AS completion_tokens, sum(quota) AS quota
            FROM (SELECT user_id, token_id, model_name, calls, prompt_tokens, completion_tokens, quota
                    FROM usage_hourly WHERE user_id = ANY ($1) AND hour < $2::bigint - $2::bigint % 3600
                  UNION ALL
                  SELECT user_id, token_id, model_name, 1, prompt_tokens, completion_tokens, quota
                    FROM logs WHERE user_id = ANY ($1) AND type = 2 AND request_id <> ''
                     AND created_at >= $2::bigint - $2::bigint % 3600 AND created_at < $2::bigint) parts
           GROUP BY 1, 2, 3) t
    LEFT JOIN statement_usage s USING (account_id, token_id, model_name)
    LEFT JOIN tokens k ON k.id = t.token_id
    LEFT JOIN memberships m ON m.id = k.member_id LEFT JOIN users n ON n.id = m.user_id
    LEFT JOIN projects j ON j.id = k.project_id
   WHERE (t.calls, t.prompt_tokens, t.completion_tokens, t.quota)
      IS DISTINCT FROM (coalesce(s.calls, 0), coalesce(s.prompt_tokens, 0), coalesce(s.completion_tokens, 0), coalesce(s.quota, 0))
   ORDER BY t.account_id, t.quota - coalesce(s.quota, 0) DESC, t.token_id, t.model_name`;

/**
 * The part of that usage that plans paid and no statement has. It is a credit, because the usage has the whole price. The log names
 * the plan of a call of the hour in which the instant lies, and the task of a refund whether a plan got it back.
 */
const planSql = `
  SELECT t.account_id, t.calls - coalesce(s.calls, 0) AS calls, t.quota - coalesce(s.quota, 0) AS quota
    FROM (SELECT account_id, sum(calls) AS calls, sum(quota) AS quota
            FROM (SELECT account_id, calls, quota
                    FROM plan_usage_hourly WHERE account_id = ANY ($1) AND hour < $2::bigint - $2::bigint % 3600
                  UNION ALL
                  SELECT user_id, 1, quota
                    FROM logs WHERE user_id = ANY ($1) AND type = 2 AND request_id <> '' AND quota <> 0
                     AND created_at >= $2::bigint - $2::bigint % 3600 AND created_at < $2::bigint
                     AND CASE WHEN other LIKE '%"plan"%' THEN other::jsonb ? 'plan' END
                  UNION ALL
                  SELECT user_id, -1, -amount
                    FROM ledger_entries e WHERE user_id = ANY ($1) AND account = 'user' AND kind = 'refund'
                     AND created_at >= to_timestamp($2::bigint - $2::bigint % 3600) AND created_at < to_timestamp($2::bigint)
                     AND EXISTS (${paidByPlan('e.source')})) parts
           GROUP BY 1) t
    LEFT JOIN statement_plan_usage s USING (account_id)
   WHERE (t.calls, t.quota) IS DISTINCT FROM (coalesce(s.calls, 0), coalesce(s.quota, 0))`;

const statePlanSql = `
  INSERT INTO statement_plan_usage AS s (account_id, calls, quota)
  SELECT account_id, calls, quota FROM jsonb_to_recordset($1::jsonb) AS x(account_id integer, calls bigint, quota bigint)
  ON CONFLICT (account_id) DO UPDATE SET calls = s.calls + excluded.calls, quota = s.quota + excluded.quota`;

const stateUsageSql = `
  INSERT INTO statement_usage AS s (account_id, token_id, model_name, calls, prompt_tokens, completion_tokens, quota)
  SELECT account_id, token_id, model_name, calls, prompt_tokens, completion_tokens, quota
    FROM jsonb_to_recordset($1::jsonb) AS x(account_id integer, token_id integer, model_name text, calls bigint,
                                            prompt_tokens bigint, completion_tokens bigint, quota bigint)
  ON CONFLICT (account_id, token_id, model_name) DO UPDATE SET calls = s.calls + excluded.calls,
    prompt_tokens = s.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = s.completion_tokens + excluded.completion_tokens, quota = s.quota + excluded.quota`;

interface PlanRow {
  readonly account_id: number;
  readonly calls: string;
  readonly quota: string;
}

/** Calls of accounts, and what plans paid of them. */
interface Calls {
  readonly usage: readonly UsageRow[];
  readonly byPlans: readonly PlanRow[];
}

/**
 * Reads what belongs before an instant and is in no statement. A movement belongs to the time of its entry, a call to the time of
 * its settlement; one that was written late is in the next statement.
 * @param areNew whether the accounts have no statement yet
 */
export async function readUnstated(
  manager: Queries,
  accounts: readonly number[],
  until: Date,
  areNew = false,
): Promise<Map<number, Unstated>> {
  const entries = await manager.query<EntryRow[]>(entrySql, [accounts, until, areNew]);
  return combine(accounts, entries, await readCalls(manager, accounts, until));
}

/** Reads like `readUnstated`, and records that all of it is stated now. The caller's transaction states it. */
export async function takeUnstated(
  manager: Queries,
  accounts: readonly number[],
  until: Date,
  areNew = false,
): Promise<Map<number, Unstated>> {
  const entries = await manager.query<EntryRow[]>(`${entrySql} FOR UPDATE`, [accounts, until, areNew]);
  await manager.query('UPDATE ledger_entries SET stated = amount WHERE id = ANY ($1)', [entries.map(({ id }) => id)]);
  const calls = await readCalls(manager, accounts, until);
  await manager.query(stateUsageSql, [JSON.stringify(calls.usage)]);
  await manager.query(statePlanSql, [JSON.stringify(calls.byPlans)]);
  return combine(accounts, entries, calls);
}

/** Usage and payments of plans are of one moment: a call that settles between two statements would be in one of them. */
async function readCalls(manager: Queries, accounts: readonly number[], until: Date): Promise<Calls> {
  const [row] = await manager.query<[Calls]>(
    `SELECT (SELECT coalesce(jsonb_agg(u), '[]') FROM (${usageSql}) u) AS usage,
            (SELECT coalesce(jsonb_agg(p), '[]') FROM (${planSql}) p) AS "byPlans"`,
    [accounts, unixSeconds(until)],
  );
  return row;
}

function combine(
  accounts: readonly number[],
  entries: readonly EntryRow[],
  { usage, byPlans }: Calls,
): Map<number, Unstated> {
  const entriesOf = groupBy(entries, ({ user_id }) => user_id);
  const usageOf = groupBy(usage, ({ account_id }) => account_id);
  return new Map(
    accounts.map((account) => [
      account,
      {
        ...toCredits(
          entriesOf.get(account) ?? [],
          byPlans.filter(({ account_id }) => account_id === account),
        ),
        usage: (usageOf.get(account) ?? []).map(toUsageLine),
      },
    ]),
  );
}

function toCredits(entries: readonly EntryRow[], byPlans: readonly PlanRow[]): Pick<Unstated, 'credits' | 'payments'> {
  const credits = [
    ...[...groupBy(entries, ({ kind }) => kind)].map(([kind, rows]) => ({
      kind,
      count: rows.length,
      amount: sum(rows.map(({ amount }) => Number(amount))),
    })),
    ...byPlans.map(({ calls, quota }) => ({ kind: 'paid_by_plan', count: Number(calls), amount: Number(quota) })),
  ];
  const payments = entries.flatMap<Unstated['payments'][number]>(({ kind, created_at, amount, reference }) =>
    kind === 'top_up' || kind === 'payment_refund'
      ? [{ kind, at: created_at.toISOString(), amount: Number(amount), reference }]
      : [],
  );
  return { credits, payments };
}

/** `Map.groupBy` of later versions of Node. */
function groupBy<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

const toUsageLine = (row: UsageRow): UsageLine => ({
  tokenId: row.token_id,
  tokenName: row.token_name,
  modelName: row.model_name,
  ...(row.member_id && { memberId: row.member_id, memberName: row.member_name ?? '' }),
  ...(row.project_id && { projectId: row.project_id, projectName: row.project_name ?? '' }),
  calls: Number(row.calls),
  promptTokens: Number(row.prompt_tokens),
  completionTokens: Number(row.completion_tokens),
  quota: Number(row.quota),
});

export const creditsOf = ({ credits }: Pick<Unstated, 'credits'>): number => sum(credits.map(({ amount }) => amount));
export const usageOf = ({ usage }: Pick<Unstated, 'usage'>): number => sum(usage.map(({ quota }) => quota));

const sum = (amounts: readonly number[]): number => amounts.reduce((total, one) => total + one, 0);
