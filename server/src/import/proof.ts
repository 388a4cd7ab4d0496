import { explainCharge } from '../billing/prices/explain-charge.service.js';
import { reconcile } from '../billing/ledger/reconcile.service.js';
import { parseFields } from '../shared/json.js';
import type { Secrets } from '../shared/secrets.js';
import { keyOf } from './map/tokens.js';
import { rowsOf } from './plan.js';
import type { Proof, Replay, Sums } from './report.js';
import type { SourceDatabase } from './source/source.js';
import type { Target } from './write/target.js';

const replayedRows = 10_000;
const shownDifferences = 20;

/** Compares this site with the source, and verifies the ledger. Changes nothing. */
export async function prove(
  target: Target,
  source: SourceDatabase,
  secrets: Secrets,
  run: string,
  expected: { readonly sums: Sums; readonly keys: number },
): Promise<Proof> {
  const [keysFound, sums, replay] = [
    await countKeys(target, source, secrets),
    await sumsHere(target, run),
    await replayCharges(target),
  ];
  const drifts = await target.transaction(async () => {
    await target.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return reconcile({ query: async (text, values) => ({ rows: await target.query(text, values) }) });
  });
  const names = Object.keys(sums) as Array<keyof Sums>;
  return {
    sums,
    keysFound,
    keysExpected: expected.keys,
    replay,
    sumsAreEqual: names.every((name) => sums[name] === expected.sums[name]),
    drifts: drifts.map(({ account, id, expected: due, found }) => ({ account, id, expected: due, found })),
  };
}

/** Every key of the source, looked up as a call would. */
async function countKeys(target: Target, source: SourceDatabase, secrets: Secrets): Promise<number> {
  let found = 0;
  for await (const page of rowsOf(source, 'tokens', ['id', 'key'])) {
    const digests = page
      .map(keyOf)
      .filter(Boolean)
      .map((key) => secrets.hash(key));
    const [row] = await target.query<{ n: string }>('SELECT count(*) AS n FROM tokens WHERE key_hash = ANY ($1)', [
      digests,
    ]);
    found += Number(row?.n ?? 0);
  }
  return found;
}

/** Sums of moved rows. They equal those of the source until users of this site make calls. */
async function sumsHere(target: Target, run: string): Promise<Sums> {
  const of = (table: string, column: string): string =>
    `(SELECT coalesce(sum(x.${column}), 0) FROM ${table} x JOIN move_in_rows r
        ON r.source = $1 AND r.source_table = '${table}' AND r.source_key = x.id::text)`;
  const [row] = await target.query<Record<keyof Sums, string>>(
    `SELECT ${of('users', 'quota')} AS "userQuota", ${of('users', 'used_quota')} AS "userUsedQuota",
            ${of('users', 'request_count')} AS "userRequests", ${of('users', 'aff_quota')} AS "affiliateQuota",
            ${of('tokens', 'remain_quota')} AS "tokenRemainQuota", ${of('tokens', 'used_quota')} AS "tokenUsedQuota",
            ${of('channels', 'used_quota')} AS "channelUsedQuota"`,
    [run],
  );
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, sum]) => [name, Number(sum)])) as unknown as Sums;
}

interface ChargedLog {
  id: string;
  model_name: string;
  quota: string;
  prompt_tokens: number;
  completion_tokens: number;
  group: string;
  other: string;
}

/** Computes the newest charges again, from the row alone, or from the moved tables where the row has no prices. */
export async function replayCharges(target: Pick<Target, 'query'>): Promise<Replay> {
  const rows = await target.query<ChargedLog>(
    `SELECT id::text, model_name, quota::text, prompt_tokens, completion_tokens, "group", other
       FROM logs WHERE type = 2 ORDER BY created_at DESC, id DESC LIMIT ${replayedRows}`,
  );
  const tables = await readTables(target);
  const replay = { rows: rows.length, equal: 0, unknown: 0, different: [] as Array<Replay['different'][number]> };
  for (const row of rows) {
    const other = pricesOf(row, tables);
    if (!other) {
      replay.unknown++;
      continue;
    }
    const quota = Number(row.quota);
    const charged = { quota, promptTokens: row.prompt_tokens, completionTokens: row.completion_tokens, other };
    const computed = explainCharge(charged).quota;
    if (Math.abs(computed - quota) <= 1) replay.equal++;
    else if (replay.different.length < shownDifferences) {
      replay.different.push({ id: row.id, model: row.model_name, quota, computed });
    }
  }
  return replay;
}

type Tables = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

async function readTables(target: Pick<Target, 'query'>): Promise<Tables> {
  const rows = await target.query<{ key: string; value: string }>(
    `SELECT key, value FROM options WHERE key IN ('ModelRatio', 'ModelPrice', 'CompletionRatio', 'GroupRatio')`,
  );
  return new Map(rows.map(({ key, value }) => [key, parseFields(value) ?? {}]));
}

/** Rows of one-api have no details: its prices are those of its tables. */
function pricesOf(row: ChargedLog, tables: Tables): Readonly<Record<string, unknown>> | null {
  const other = parseFields(row.other) ?? {};
  if (typeof other['model_ratio'] === 'number' || typeof other['model_price'] === 'number') return other;
  const ratio = tables.get('ModelRatio')?.[row.model_name];
  if (typeof ratio !== 'number') return null;
  return {
    model_ratio: ratio,
    completion_ratio: tables.get('CompletionRatio')?.[row.model_name] ?? 1,
    group_ratio: tables.get('GroupRatio')?.[row.group || 'default'] ?? 1,
  };
}
