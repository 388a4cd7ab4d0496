import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createLedgerPool } from '../../server/src/platform/db/data-source.js';
import { LedgerKeeper, type KeeperTimes } from '../../server/src/billing/ledger/ledger.jobs.js';
import type { Charge, Posting } from '../../server/src/billing/ledger/ledger.js';
import { postEntry } from '../../server/src/billing/ledger/post-entry.js';
import { PostgresLedger } from '../../server/src/billing/ledger/postgres-ledger.js';
import { reconcile, type Drift } from '../../server/src/billing/ledger/reconcile.js';
import { Spool } from '../../server/src/billing/ledger/spool.js';
import { systemClock } from '../../server/src/shared/clock.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A database with users, tokens and channels, and ledgers on it that represent nodes. */
export class TestLedger {
  private readonly nodes: Array<{ ledger: PostgresLedger; pool: pg.Pool }> = [];

  private constructor(
    readonly database: TestDatabase,
    readonly pool: pg.Pool,
    readonly spoolFolder: string,
  ) {}

  static async open(): Promise<TestLedger> {
    const database = await createTestDatabase();
    const pool = new pg.Pool({ connectionString: database.url, max: 4 });
    pool.on('error', () => undefined);
    return new TestLedger(database, pool, await mkdtemp(join(tmpdir(), 'tollgate-spool-')));
  }

  node(nodeId: string, options: { connectionString?: string; times?: KeeperTimes; pool?: pg.PoolConfig } = {}) {
    const pool = createLedgerPool(options.connectionString ?? this.database.url, () => undefined, {
      max: 2,
      connectionTimeoutMillis: 2000,
      ...options.pool,
    });
    const spool = new Spool(this.spoolFolder, nodeId);
    const ledger = new PostgresLedger({ pool, nodeId, spool, clock: systemClock, logger: silent });
    const keeper = new LedgerKeeper({
      pool,
      nodeId,
      ledger,
      logger: silent,
      ...(options.times ? { times: options.times } : {}),
    });
    this.nodes.push({ ledger, pool });
    return { ledger, keeper, spool, pool };
  }

  async addUser(quota: number): Promise<number> {
    const found = await this.pool.query<{ id: number }>(
      `INSERT INTO users (username) VALUES ('user' || nextval('logs_id_seq')) RETURNING id`,
    );
    const id = found.rows[0]!.id;
    await this.post({ source: `opening:user:${id}`, kind: 'opening', userId: id, amount: quota });
    return id;
  }

  async addToken(userId: number, quota: number | 'unlimited'): Promise<number> {
    const found = await this.pool.query<{ id: number }>(
      `INSERT INTO tokens (user_id, key_hash, key_prefix, key_sealed, unlimited_quota)
       VALUES ($1, decode(md5(random()::text), 'hex'), 'test', 'test', $2) RETURNING id`,
      [userId, quota === 'unlimited'],
    );
    const id = found.rows[0]!.id;
    if (quota !== 'unlimited') {
      await this.post({ source: `token:${id}:opening`, kind: 'token_limit', userId, tokenId: id, amount: quota });
    }
    return id;
  }

  async addChannel(): Promise<number> {
    const found = await this.pool.query<{ id: number }>(
      `INSERT INTO channels (type, key_sealed) VALUES (1, 'test') RETURNING id`,
    );
    return found.rows[0]!.id;
  }

  async post(posting: Posting): Promise<number | null> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      const after = await postEntry(
        { query: async (text, values) => (await client.query(text, values)).rows },
        posting,
      );
      await client.query('COMMIT');
      return after;
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  }

  async user(id: number): Promise<{ quota: number; used_quota: number; request_count: number; aff_quota: number }> {
    return this.numbers('users', 'quota, used_quota, request_count, aff_quota', id);
  }

  async token(id: number): Promise<{ remain_quota: number; used_quota: number }> {
    return this.numbers('tokens', 'remain_quota, used_quota', id);
  }

  async channel(id: number): Promise<{ used_quota: number }> {
    return this.numbers('channels', 'used_quota', id);
  }

  async count(sql: string, values: unknown[] = []): Promise<number> {
    const found = await this.pool.query<{ count: string }>(`SELECT count(*) FROM ${sql}`, values);
    return Number(found.rows[0]!.count);
  }

  reconcile(): Promise<Drift[]> {
    return reconcile(this.pool);
  }

  async closeNodes(): Promise<void> {
    for (const { ledger, pool } of this.nodes.splice(0)) {
      await ledger.stop();
      await pool.end();
    }
  }

  async close(): Promise<void> {
    await this.closeNodes();
    await this.pool.end();
    await this.database.drop();
  }

  private async numbers<T>(table: string, columns: string, id: number): Promise<T> {
    const found = await this.pool.query<Record<string, string>>(`SELECT ${columns} FROM ${table} WHERE id = $1`, [id]);
    return Object.fromEntries(Object.entries(found.rows[0]!).map(([key, value]) => [key, Number(value)])) as T;
  }
}

export function charge(quota: number, rest: Partial<Charge> = {}): Charge {
  return {
    quota,
    counted: true,
    logged: true,
    channelId: 0,
    username: 'user',
    tokenName: 'token',
    modelName: 'gpt-4o',
    group: 'default',
    promptTokens: 10,
    completionTokens: 5,
    cachedTokens: 0,
    durationMs: 1234,
    isStream: false,
    content: 'model ratio 1.25',
    other: { model_ratio: 1.25 },
    ...rest,
  };
}
