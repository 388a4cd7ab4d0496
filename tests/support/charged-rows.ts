import { explainCharge, explainCost, type ChargedRow } from '../../server/src/billing/prices/explain-charge.js';
import { builtInCard } from '../../server/src/billing/prices/built-in-prices.js';
import { rechargeOf } from '../../server/src/billing/prices/dry-run/recharge.js';
import { priceOfCall, usualTaskUsd } from '../../server/src/billing/prices/compiled-price.js';
import { PriceBook, type PriceSettings } from '../../server/src/billing/prices/price-book.js';

type Query = (sql: string, values?: unknown[]) => Promise<object[]>;

interface NamedRow extends ChargedRow {
  readonly requestId: string;
  readonly model: string;
  readonly group: string;
}

/** Charged log rows, newest first. */
export async function chargedRows(query: Query, count = 1_000_000): Promise<NamedRow[]> {
  const rows = (await query(
    `SELECT request_id, model_name, "group", quota::float8, prompt_tokens, completion_tokens, other FROM logs
     WHERE type = 2 ORDER BY id DESC LIMIT $1`,
    [count],
  )) as Array<Record<string, unknown>>;
  return rows.map((row) => ({
    requestId: String(row['request_id']),
    model: String(row['model_name']),
    group: String(row['group']),
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

/**
 * Returns rows that the current tables priced, and that result in another charge when they are priced again from the
 * row. There are none if a dry run can be trusted. Rows of routing prefixes are left out, because their model is
 * requested under another name.
 */
export async function replayedDifferently(query: Query, values: PriceSettings['values']): Promise<object[]> {
  const prices = new PriceBook({ values });
  const rows = (await chargedRows(query)).filter(
    ({ other }) => other['price_version'] === prices.version && other['uncharged'] !== true,
  );
  return rows.flatMap((row) => {
    const found =
      prices.find(row.model, row.group) ??
      (other(row, 'task') === true
        ? priceOfCall(row.model, usualTaskUsd, { groupRatio: prices.groupRatio(row.group) })
        : null);
    if (!found) return [];
    const own = (name: string) => {
      const card = values.PriceCards[name];
      return typeof card === 'object' ? card : (builtInCard(name)?.card ?? null);
    };
    const replayed = rechargeOf(row, found, values.QuotaPerUnit, own, {
      ofDrawing: (price, model) => prices.ofDrawing(price, model, row.group),
      ofAdvice: (price, model) => prices.ofAdvice(price, model, row.group),
      ofTranscripts: (price, model) => prices.ofTranscripts(price, model, row.group),
      withToolsOf: (price, model, ran) => prices.withToolsOf(price, model, ran),
    });
    const uncharged = Number(other(row, 'uncharged_quota') ?? 0);
    const [before = 0, after = 0] = Array.isArray(row.other['carried']) ? (row.other['carried'] as number[]) : [];
    const charged = replayed && replayed.quota + (row.other['carried'] ? (replayed.rest + before - after) / 1e9 : 0);
    return charged === row.quota + uncharged ? [] : [{ ...row, replayed }];
  });
}

const other = (row: ChargedRow, name: string): unknown => row.other[name];
