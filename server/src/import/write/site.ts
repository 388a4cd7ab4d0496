import { foldedName } from '../../shared/username.js';
import { version } from '../../shared/version.js';
import { heldAs, uniqueColumns } from '../map/held-values.js';
import type { Target } from './target.js';

/** Distance between the last user of the source and the root user of a site that was set up before the import. */
const rootDistance = 10_000;

/** Columns of any table that contain the id of a user. Few are foreign keys, because records outlive their users. */
const userColumns = [
  ...['user_id', 'used_user_id', 'inviter_id', 'actor_id'],
  ...['created_by', 'updated_by', 'started_by'],
];

/** Tables of this product whose ids are those of the source. */
const numberedTables = [
  ...['users', 'tokens', 'memberships', 'projects', 'budgets', 'channels', 'redemptions', 'top_up_orders'],
  ...['plans', 'subscriptions', 'midjourneys', 'tasks'],
];

/** This site cannot receive an import. The message is a sentence for the operator. */
export class SiteError extends Error {
  override readonly name = 'SiteError';
}

/** A run that is stored on this site. */
export interface StoredRun {
  readonly source: string;
  readonly name: string;
  readonly family: string;
  readonly startedBy: number;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  readonly logCursor: number;
  readonly logCounts: Record<string, number>;
  readonly logsSince: number;
  readonly usageUntil: number;
}

/** Returns the earlier runs on this site, oldest first. */
export const readRuns = (target: Pick<Target, 'query'>): Promise<StoredRun[]> =>
  target.query<StoredRun>(
    `SELECT source, name, family, started_by AS "startedBy", started_at AS "startedAt", finished_at AS "finishedAt",
            log_cursor::float8 AS "logCursor", log_counts AS "logCounts", logs_since::float8 AS "logsSince",
            usage_until::float8 AS "usageUntil"
       FROM import_runs ORDER BY started_at`,
  );

/**
 * Returns the reason why data cannot be imported. An import needs a site without users other than root, and without
 * keys, channels, codes, orders and calls.
 * @returns a sentence; null for a fresh site
 */
export async function whyNotFresh(target: Pick<Target, 'query'>): Promise<string | null> {
  const [found] = await target.query<Record<string, boolean>>(`
    SELECT EXISTS (SELECT 1 FROM users WHERE role <> 'root' OR deleted_at IS NOT NULL) AS users,
           EXISTS (SELECT 1 FROM tokens) AS "API keys", EXISTS (SELECT 1 FROM channels) AS channels,
           EXISTS (SELECT 1 FROM redemptions) AS "redemption codes", EXISTS (SELECT 1 FROM top_up_orders) AS orders,
           EXISTS (SELECT 1 FROM plans) AS plans,
           EXISTS (SELECT 1 FROM usage_hourly) AS calls`);
  const present = Object.entries(found ?? {}).filter(([, exists]) => exists);
  return present.length === 0
    ? null
    : `This site is not fresh: it has ${present.map(([name]) => name).join(', ')}. Import into an empty database.`;
}

/** Whether the site was set up before the import: its root user stays root. */
export async function hasRootOfItsOwn(target: Pick<Target, 'query'>): Promise<boolean> {
  const rows = await target.query(
    `SELECT 1 FROM users u WHERE role = 'root' AND deleted_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM import_rows r WHERE r.source_table = 'users' AND r.source_key = u.id::text)`,
  );
  return rows.length > 0;
}

/**
 * Gives the root user of a site that was set up an id and a name that no user of the source has, because clients of the
 * source send ids and names of their users. Removes an e-mail address or external account that a user of the source
 * has.
 * @returns the new name and the columns that were emptied; none if nothing had to change
 */
export async function clearRoot(
  target: Pick<Target, 'query' | 'transaction'>,
  lastUserId: number,
  taken: { readonly names: ReadonlySet<string>; readonly held: ReadonlySet<string> },
): Promise<string[]> {
  return target.transaction(async () => {
    const [root] = await target.query<RootRow>(
      `SELECT id, username, ${uniqueColumns.join(', ')} FROM users u WHERE role = 'root'
          AND NOT EXISTS (SELECT 1 FROM import_rows r WHERE r.source_table = 'users' AND r.source_key = u.id::text) FOR UPDATE`,
    );
    if (!root) return [];
    let username = root.username;
    for (let n = 2; taken.names.has(foldedName(username)); n++) username = `${root.username}-${n}`;
    const id = root.id > lastUserId ? root.id : lastUserId + rootDistance;
    if (id !== root.id) await renumber(target, root.id, id);
    const lost = uniqueColumns.filter((column) => taken.held.has(heldAs(column, root[column])));
    const changes = [`username = $2`, ...lost.map((column) => `${column} = ''`)];
    await target.query(`UPDATE users SET ${changes.join(', ')} WHERE id = $1`, [id, username]);
    const isRenamed = id !== root.id || username !== root.username;
    return [...(isRenamed ? [username] : []), ...lost.map((column) => `${username} without ${column}`)];
  });
}

interface RootRow extends Readonly<Record<(typeof uniqueColumns)[number], string>> {
  readonly id: number;
  readonly username: string;
}

async function renumber(target: Pick<Target, 'query'>, from: number, to: number): Promise<void> {
  const columns = await target.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = 'users'`,
  );
  const names = columns.map(({ name }) => `"${name}"`);
  // The steps avoid conflicts: first a copy that no unique index refuses, then the references, then the remaining
  // columns.
  await target.query(`INSERT INTO users (id, username) VALUES ($1, 'moving')`, [to]);
  const references = await target.query<{ table: string; column: string }>(
    `SELECT c.oid::regclass::text AS table, a.attname AS column
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND NOT a.attisdropped AND a.attname = ANY ($1)`,
    [userColumns],
  );
  for (const { table, column } of references) {
    await target.query(`UPDATE ${table} SET ${column} = $2 WHERE ${column} = $1`, [from, to]);
  }
  await target.query(`UPDATE budgets SET subject_id = $2 WHERE level = 'user' AND subject_id = $1`, [from, to]);
  await target.query(
    `UPDATE audit_entries SET subject_id = $2::text WHERE subject = 'user' AND subject_id = $1::text`,
    [from, to],
  );
  await target.query(`CREATE TEMP TABLE moving ON COMMIT DROP AS SELECT * FROM users WHERE id = $1`, [from]);
  await target.query('DELETE FROM users WHERE id = $1', [from]);
  const rest = names.filter((name) => name !== '"id"');
  await target.query(
    `UPDATE users u SET ${rest.map((name) => `${name} = m.${name}`).join(', ')} FROM moving m WHERE u.id = $1`,
    [to],
  );
}

/** Ensures that new rows get ids above the imported ones, and that a site with a root user counts as set up. */
export async function finishSite(target: Target, now: number): Promise<void> {
  for (const table of numberedTables) {
    await target.query(
      `SELECT setval(pg_get_serial_sequence('${table}', 'id'), greatest((SELECT max(id) FROM ${table}), 1),
                     EXISTS (SELECT 1 FROM ${table}))`,
    );
  }
  await target.query(
    `INSERT INTO setup (id, version, initialized_at)
     SELECT 1, $1, to_timestamp($2) WHERE EXISTS (SELECT 1 FROM users WHERE role = 'root' AND deleted_at IS NULL) ON CONFLICT DO NOTHING`,
    [version, now],
  );
}
