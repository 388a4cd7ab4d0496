import type { Findings } from '../findings.js';
import { rowsOf } from '../source-rows.js';
import type { SourceDatabase } from '../source/source.js';
import { tableSpecs, type TableSpec } from '../tables.js';
import { SiteError } from './site.js';
import type { Target } from './target.js';

/**
 * With fewer users, a site that lacks most of them may still be the same site. A site that lacks all of them is not.
 */
const fewUsers = 10;

/** Rows of one table, by their keys in `import_rows`. */
interface Vanished {
  readonly spec: TableSpec;
  readonly keys: readonly string[];
}

/**
 * Deletes rows that an earlier run has imported and that were deleted in the source since, so that a key, passkey or
 * channel that its owner deleted there does not work here. This happens before other rows are written, because deleted
 * names are free again.
 * @throws SiteError if most of many users are missing, or all of few users
 */
export async function removeVanished(
  target: Target,
  source: SourceDatabase,
  run: string,
  findings: Findings,
): Promise<void> {
  for (const { spec, keys } of await findVanished(target, source, run, findings)) await remove(target, run, spec, keys);
}

/**
 * Reports the rows that `removeVanished` would delete.
 * @throws SiteError as `removeVanished`
 */
export async function findVanished(
  target: Pick<Target, 'query'>,
  source: SourceDatabase,
  run: string,
  findings: Findings,
): Promise<Vanished[]> {
  const vanished: Vanished[] = [];
  const withTheirUser = new Set<string>();
  for (const spec of tableSpecs) {
    if (!spec.targetKey || !source.columns.has(spec.source)) continue;
    const moved = await target.query<{ key: string }>(
      'SELECT source_key AS key FROM import_rows WHERE source = $1 AND source_table = $2 ORDER BY 1',
      [run, spec.source],
    );
    if (moved.length === 0) continue;
    const here = new Set<string>();
    for await (const page of rowsOf(source, spec.source, ['id'])) for (const row of page) here.add(row.text('id'));
    const lost = moved
      .map(({ key }) => key)
      .filter((key) => !here.has(key.split('/')[0] ?? '') && !(spec.source === 'tokens' && withTheirUser.has(key)));
    const isAnother = lost.length === moved.length || (lost.length * 2 > moved.length && moved.length >= fewUsers);
    if (spec.source === 'users' && isAnother) {
      throw new SiteError(
        `${lost.length} of ${moved.length} users that were moved before are not in the source any more. It is another database, or a copy that is not complete.`,
      );
    }
    vanished.push({ spec, keys: lost });
    if (spec.source === 'users') {
      for (const key of await keysOf(target, run, lost)) withTheirUser.add(key);
      const tokens = tableSpecs.find((one) => one.source === 'tokens');
      if (tokens) vanished.push({ spec: tokens, keys: [...withTheirUser] });
      for (const key of withTheirUser) findings.add('row-deleted', 'tokens', key, 'its user');
    }
    for (const key of lost) findings.add('row-deleted', spec.source, key.split('/')[0] ?? '');
  }
  return vanished;
}

/** Returns the imported API keys of users. */
async function keysOf(target: Pick<Target, 'query'>, run: string, users: readonly string[]): Promise<string[]> {
  if (users.length === 0) return [];
  const rows = await target.query<{ key: string }>(
    `SELECT r.source_key AS key FROM tokens t JOIN import_rows r
         ON r.source = $1 AND r.source_table = 'tokens' AND r.source_key = t.id::text
      WHERE t.user_id = ANY ($2) ORDER BY t.id`,
    [run, users.map(Number)],
  );
  return rows.map(({ key }) => key);
}

async function remove(target: Target, run: string, spec: TableSpec, keys: readonly string[]): Promise<void> {
  if (keys.length === 0 || !spec.targetKey) return;
  const rows = keys.map(spec.targetKey);
  const matches = spec.key.map((name) => `t.${name} = v.${name}`).join(' AND ');
  await target.transaction(async () => {
    await target.query(
      spec.ends ??
        `DELETE FROM ${spec.target} t USING jsonb_populate_recordset(NULL::${spec.target}, $1::jsonb) v WHERE ${matches}`,
      [JSON.stringify(rows)],
    );
    await target.query('DELETE FROM import_rows WHERE source = $1 AND source_table = $2 AND source_key = ANY ($3)', [
      run,
      spec.source,
      keys,
    ]);
    // If the row returns in the source, its account is opened again.
    await target.query('DELETE FROM ledger_entries WHERE source = ANY ($1)', [
      Object.values(spec.accounts).flatMap((account) => keys.map((key) => `import:${account}:${key}`)),
    ]);
    if (spec.opening) {
      await target.query('DELETE FROM opening_counters WHERE kind = $1 AND id = ANY ($2)', [
        spec.opening,
        rows.map((row) => row['id']),
      ]);
    }
    if (spec.afterBatch) await target.query(spec.afterBatch, [rows.map((row) => row['user_id'])]);
  });
}
