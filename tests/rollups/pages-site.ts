import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import type { EntityManager } from 'typeorm';
import { createPreparedDatabase } from '../support/database.js';
import { beginLastMonth } from '../support/statement-month.js';
import { openUsageSite, type UsageSite } from './usage-site.js';

/**
 * A site with 250,000 rows of usage and of the log in 90 days. Its statements are explained as they were sent, and pages are counted,
 * which do not depend on the machine.
 */
export const day = 86_400;
export const rows = 250_000;
export const users = 500;
export const weeks = 90 / 7;
export const now = Math.floor(Date.now() / 1000);
const thisHour = now - (now % 3600);

/** The pages that a statement read, and the tables that it read them of. */
interface Reading {
  readonly pages: number;
  readonly tables: readonly string[];
}

export interface PagesSite extends UsageSite {
  /** Pages of a table with its indexes. */
  readonly pagesOf: Readonly<Record<string, number>>;
  /** Returns what each statement of a question read. */
  read(ask: () => Promise<unknown>): Promise<readonly Reading[]>;
  pagesRead(ask: () => Promise<unknown>): Promise<number>;
}

export async function openPagesSite(): Promise<PagesSite> {
  const database = await createPreparedDatabase('pages', async (draft) => {
    const site = await openUsageSite(now, draft);
    await fill(site);
    await site.dataSource.destroy();
  });
  const site = await openUsageSite(now, database);
  const sizes = await site.dataSource.query<Array<{ name: string; pages: number }>>(
    `SELECT relname AS name, (pg_total_relation_size(oid) / 8192)::integer AS pages FROM pg_class WHERE relkind IN ('r', 'p')
      UNION ALL SELECT 'logs', (sum(pg_total_relation_size(inhrelid)) / 8192)::integer FROM pg_inherits WHERE inhparent = 'logs'::regclass`,
  );
  const read: PagesSite['read'] = async (ask) => {
    const statements = await statementsOf(ask);
    // In one transaction, as they were sent: the first of a question sets how the others are planned (`readState`).
    return site.dataSource.transaction(async (transaction) => {
      const readings: Reading[] = [];
      for (const statement of statements) readings.push(await explained(transaction, statement));
      return readings;
    });
  };
  return {
    ...site,
    pagesOf: Object.fromEntries(sizes.map(({ name, pages }) => [name, pages])),
    read,
    pagesRead: async (ask) => (await read(ask)).reduce((sum, { pages }) => sum + pages, 0),
  };
}

type Statement = readonly [text: string, values: readonly unknown[]];

/** Set where a question is answered: jobs of a server send statements meanwhile. */
const asking = new AsyncLocalStorage<true>();

/** Returns the statements that a question sends. */
async function statementsOf(ask: () => Promise<unknown>): Promise<Statement[]> {
  const sent: Statement[] = [];
  const query = pg.Client.prototype.query as (this: pg.Client, ...parts: unknown[]) => unknown;
  const spy = jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...parts) {
    const [text, values = []] = parts as unknown as [string, unknown[]?];
    if (asking.getStore() && /^\s*(SELECT|WITH)/.test(text)) sent.push([text, [...values]]);
    return query.apply(this, parts) as never;
  });
  try {
    await asking.run(true, ask);
  } finally {
    spy.mockRestore();
    asking.disable();
  }
  expect(sent.length).toBeGreaterThan(0);
  return sent;
}

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly Plan[];
}

async function explained(transaction: EntityManager, [text, values]: Statement): Promise<Reading> {
  const [row] = await transaction.query<Array<{ 'QUERY PLAN': Array<{ Plan: Plan }> }>>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
    [...values],
  );
  const plan = row?.['QUERY PLAN'][0]?.Plan ?? {};
  return {
    pages: (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0),
    tables: [...new Set(tablesOf(plan))],
  };
}

/** Partitions of the log count as the log. */
const tablesOf = ({ 'Relation Name': name, Plans: plans = [] }: Plan): string[] => [
  ...(name === undefined ? [] : [name.replace(/^logs_.*/, 'logs')]),
  ...plans.flatMap(tablesOf),
];

async function fill(site: UsageSite): Promise<void> {
  const { dataSource } = site;
  await dataSource.transaction(async (transaction) => {
    await transaction.query(
      `INSERT INTO users (id, username, created_at, quota)
       SELECT n, 'user' || n, to_timestamp($1::bigint - n % 90 * 86400), 1000 FROM generate_series(1, ${users}) n`,
      [now],
    );
    await transaction.query("SELECT setval(pg_get_serial_sequence('users', 'id'), $1)", [users]);
    await transaction.query(
      `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls, quota, duration_buckets)
       SELECT $1::bigint - n * 90 / ${rows} * 86400 - n % 24 * 3600, 1 + hashint4(n) & 511, n % 1000, n % 20, 'm' || n % 9, 'default', 1, 700,
              '{0,0,1}' FROM generate_series(1, ${rows}) n ON CONFLICT DO NOTHING`,
      [thisHour],
    );
    await transaction.query(
      `INSERT INTO logs (created_at, request_id, type, user_id, channel_id, model_name, quota, use_time, other)
       SELECT $1::bigint - n * ${Math.floor((90 * day) / rows)}, 'r' || n, CASE WHEN n % 50 = 0 THEN 6 ELSE 2 END, 1 + n % ${users}, n % 20, 'm' || n % 9, n % 977, n % 60,
              '{"request_path":"/v1/messages","duration_ms":' || n % 60000 || ',"error_code":"rate_limited","admin_info":{"use_channel":['
                || CASE WHEN n % 31 = 0 THEN '"20",' ELSE '' END || '"' || n % 20 || '"]}}' FROM generate_series(1, ${rows}) n`,
      [now],
    );
    await transaction.query(
      `INSERT INTO ledger_entries (created_at, source, kind, account, user_id, amount)
       SELECT to_timestamp($1::bigint - n * 155), 's' || n, 'top_up', 'user', 1 + n % ${users}, 100 FROM generate_series(1, 50000) n`,
      [now],
    );
  });
  // A server closes the month before, which writes each of its entries again, account by account.
  await beginLastMonth((sql) => dataSource.query(sql));
  await dataSource.query('UPDATE statement_months SET closed_at = now()');
  // The aggregation is planned with statistics, as on a site that has been running.
  await dataSource.query('ANALYZE');
  await site.aggregate();
  await dataSource.query('VACUUM ANALYZE');
}
