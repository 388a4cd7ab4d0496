import { reconcile } from '../billing/ledger/index.js';
import { pricedBy } from '../billing/prices/index.js';
import { defaultOptionValues, isOptionKey, parseOption, type OptionValues } from '../options/option-registry.js';
import type { Secrets } from '../shared/secrets.js';
import { keyOf } from './map/tokens.js';
import { rowsOf } from './source-rows.js';
import { replayCharges, type ReplayInput } from './replay.js';
import type { Proof, Sums } from './report.js';
import type { SourceDatabase } from './source/source.js';
import type { Target } from './write/target.js';

interface Expected extends Omit<ReplayInput, 'settings'> {
  readonly sums: Sums;
  /** Number of API keys. */
  readonly keys: number;
  readonly logSource: SourceDatabase;
}

/** Compares this site with the source, and verifies the ledger. Changes nothing. */
export async function prove(
  target: Target,
  source: SourceDatabase,
  secrets: Secrets,
  run: string,
  expected: Expected,
): Promise<Proof> {
  const [keysFound, sums, replay] = [
    await countKeys(target, source, secrets),
    await sumsHere(target, run),
    await replayCharges(source, expected.logSource, { ...expected, settings: await settingsHere(target) }),
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

/** Looks up every key of the source as a call would. */
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

const leftOfPlans = `
  SELECT coalesce(sum(greatest(b.amount - coalesce(w.used, 0), 0)), 0)
    FROM import_rows r JOIN subscriptions s ON s.id::text = r.source_key AND s.state = 'active'
    JOIN budgets b ON b.level = 'plan' AND b.subject_id = s.id
    LEFT JOIN LATERAL (SELECT used FROM budget_windows WHERE budget_id = b.id ORDER BY started_at DESC LIMIT 1) w ON true
   WHERE r.source = $1 AND r.source_table = 'user_subscriptions'`;

/** Returns sums of imported rows. They equal those of the source until users of this site make calls. */
async function sumsHere(target: Target, run: string): Promise<Sums> {
  const of = (table: string, column: string): string =>
    `(SELECT coalesce(sum(x.${column}), 0) FROM ${table} x JOIN import_rows r
        ON r.source = $1 AND r.source_table = '${table}' AND r.source_key = x.id::text)`;
  const [row] = await target.query<Record<keyof Sums, string>>(
    `SELECT ${of('users', 'quota')} AS "userQuota", ${of('users', 'used_quota')} AS "userUsedQuota",
            ${of('users', 'request_count')} AS "userRequests", ${of('users', 'aff_quota')} AS "affiliateQuota",
            ${of('tokens', 'remain_quota')} AS "tokenRemainQuota", ${of('tokens', 'used_quota')} AS "tokenUsedQuota",
            ${of('channels', 'used_quota')} AS "channelUsedQuota", (${leftOfPlans}) AS "planQuota"`,
    [run],
  );
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, sum]) => [name, Number(sum)])) as unknown as Sums;
}

const priced: ReadonlySet<string> = new Set([...pricedBy, 'PriceCards', 'ToolPrices', 'SelfUseModeEnabled']);

/** Returns the price settings that are stored on this site. */
async function settingsHere(target: Target): Promise<OptionValues> {
  const rows = await target.query<{ key: string; value: string | null }>('SELECT key, value FROM options');
  const values = defaultOptionValues();
  for (const { key, value } of rows) {
    if (priced.has(key) && isOptionKey(key) && value !== null)
      Object.assign(values, { [key]: parseOption(key, value) });
  }
  return values;
}
