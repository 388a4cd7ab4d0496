import { noUsage } from '../map/logs.js';
import type { Mapped } from '../map/mapped.js';
import { maxInt32 } from '../../shared/limits.js';
import type { Findings } from '../findings.js';
import { BadRecord, type Fields } from '../source/fields.js';
import type { Target } from './target.js';
import { addUsage, type UsageRow } from './usage-writer.js';

const table = 'quota_data';

/**
 * Imports the hourly usage before the first imported log row. A later run adds what those rows have gained since.
 * @param until Unix seconds; hours from here on are counted from the log
 * @param findings receives rows that cannot be read
 * @returns rows that were imported or changed
 */
export async function moveQuotaData(
  target: Target,
  source: string,
  rows: readonly Fields[],
  { until, findings }: { readonly until: number; readonly findings: Findings },
): Promise<number> {
  const due = rows.filter((row) => isReadable(row, findings) && row.whole('created_at') + 3600 <= until);
  if (due.length === 0) return 0;
  const keys = due.map((row) => String(row.id));
  const found = await target.query<{ source_key: string; amounts: Record<string, number> }>(
    'SELECT source_key, amounts FROM import_rows WHERE source = $1 AND source_table = $2 AND source_key = ANY ($3)',
    [source, table, keys],
  );
  const before = new Map(found.map(({ source_key, amounts }) => [source_key, amounts]));
  const changed = due.filter((row) => {
    const known = before.get(String(row.id));
    return !known || names.some((name) => known[name] !== amountsOf(row)[name]);
  });
  if (changed.length === 0) return 0;
  await target.transaction(async () => {
    await addUsage(target, merged(changed.map((row) => usageOf(row, before.get(String(row.id)) ?? {}))));
    await target.query(
      `INSERT INTO import_rows (source, source_table, source_key, digest, amounts)
       SELECT $2, $3, key, '', amounts FROM jsonb_to_recordset($1::jsonb) AS v(key text, amounts jsonb)
       ON CONFLICT (source, source_table, source_key) DO UPDATE SET amounts = excluded.amounts`,
      [JSON.stringify(changed.map((row) => ({ key: String(row.id), amounts: amountsOf(row) }))), source, table],
    );
  });
  return changed.length;
}

const names = ['count', 'quota', 'token_used'] as const;

/** Whether a row can be read. Reports a row that cannot. */
function isReadable(row: Fields, findings: Findings): boolean {
  try {
    for (const name of ['id', 'created_at', 'user_id', ...names]) row.whole(name);
    return true;
  } catch (error) {
    if (!(error instanceof BadRecord)) throw error;
    findings.add('record-refused', table, row.text('id'), error.message);
    return false;
  }
}

const amountsOf = (row: Fields): NonNullable<Mapped['amounts']> =>
  Object.fromEntries(names.map((name) => [name, row.whole(name)]));

function usageOf(row: Fields, before: Readonly<Record<string, number>>): UsageRow {
  const gained = (name: (typeof names)[number]): number => row.whole(name) - (before[name] ?? 0);
  const at = row.whole('created_at');
  return {
    time: at - (at % 3600),
    userId: row.clamped('user_id', 0, maxInt32),
    tokenId: 0,
    channelId: 0,
    model: row.text('model_name'),
    group: '',
    // The source does not divide these tokens into prompt and completion.
    usage: { ...noUsage(), calls: gained('count'), quota: gained('quota'), promptTokens: gained('token_used') },
  };
}

/** Merges rows of the same hour, user and model, because one statement may not update a row twice. */
function merged(rows: readonly UsageRow[]): UsageRow[] {
  const byKey = new Map<string, UsageRow>();
  for (const row of rows) {
    const key = `${row.time}\n${row.userId}\n${row.model}`;
    const other = byKey.get(key);
    if (!other) byKey.set(key, row);
    else {
      other.usage.calls += row.usage.calls;
      other.usage.quota += row.usage.quota;
      other.usage.promptTokens += row.usage.promptTokens;
    }
  }
  return [...byKey.values()];
}
