import type { DataSource } from 'typeorm';
import { MemoryState } from '../../server/src/platform/cache/memory-state.js';
import { entities } from '../../server/src/compose/entities.js';
import { createDataSource } from '../../server/src/platform/db/data-source.js';
import { keptSince, LogRetention } from '../../server/src/console/logs/log.jobs.js';
import { trimLogs } from '../../server/src/console/logs/log-trim.js';
import { Aggregator } from '../../server/src/billing/rollups/aggregator.js';
import { createTestDatabase } from '../support/database.js';

it('keeps from the first of the month that holds the oldest day to keep', () => {
  const now = Date.UTC(2026, 10, 20, 12);
  expect(new Date(keptSince(now, 30) * 1000).toISOString()).toBe('2026-10-01T00:00:00.000Z');
  expect(new Date(keptSince(now, 365) * 1000).toISOString()).toBe('2025-11-01T00:00:00.000Z');
});

const now = Date.UTC(2026, 10, 20, 12);

async function withDatabase(run: (database: DataSource) => Promise<void>): Promise<void> {
  const test = await createTestDatabase();
  const database = await createDataSource(test.url, 2, entities).initialize();
  try {
    await database.query(`SELECT logs_ensure_partitions('2026-01-01', 11)`);
    await run(database);
  } finally {
    await database.destroy();
    await test.drop();
  }
}

/** Writes a row at each of these times. */
const write = (database: DataSource, ...moments: string[]): Promise<unknown> =>
  database.query(
    `INSERT INTO logs (created_at, type, user_id) SELECT extract(epoch FROM moment)::bigint, 2, 1 FROM unnest($1::timestamptz[]) moment`,
    [moments],
  );

const aggregate = (database: DataSource): Promise<number> => new Aggregator(database, 60_000).run();

it('drops what is older, once, and leaves the rest', () =>
  withDatabase(async (database) => {
    const state = new MemoryState();
    try {
      await database.query(
        `INSERT INTO logs (created_at, type, user_id)
         SELECT extract(epoch FROM make_timestamptz(2026, month, 15, 0, 0, 0, 'UTC'))::bigint, 2, 1 FROM generate_series(1, 11) month`,
      );
      const parts = {
        database,
        state,
        clock: { now: () => now },
        days: 60,
        logger: { info: jest.fn(), warn: jest.fn() },
      };
      // 60 days before 20 November is 21 September, so the rows of September stay.
      expect(await new LogRetention({ ...parts, nodeId: 'one' }).drop()).toBe(8);
      expect(await new LogRetention({ ...parts, nodeId: 'two' }).drop()).toBe(0);
      const [left] = await database.query<Array<{ oldest: string; rows: string }>>(
        `SELECT to_char(to_timestamp(min(created_at)) AT TIME ZONE 'UTC', 'YYYY-MM') AS oldest, count(*) AS rows FROM logs`,
      );
      expect(left).toEqual({ oldest: '2026-09', rows: '3' });
      const [gone] = await database.query<Array<{ found: string | null }>>(
        `SELECT to_regclass('logs_202608') AS found`,
      );
      expect(gone?.found).toBeNull();
    } finally {
      await state.close();
    }
  }));

it('keeps what is not old by the clock of the database, however far the clock of the node is ahead', () =>
  withDatabase(async (database) => {
    const state = new MemoryState();
    try {
      await database.query(`SELECT logs_ensure_partitions(now(), 1)`);
      await database.query(
        `INSERT INTO logs (created_at, type, user_id) SELECT extract(epoch FROM now())::bigint, 2, 1`,
      );
      const retention = new LogRetention({
        database,
        state,
        nodeId: 'one',
        days: 60,
        logger: { info: jest.fn(), warn: jest.fn() },
        clock: { now: () => Date.now() + 10 * 365 * 86_400_000 },
      });
      expect(await retention.drop()).toBe(0);
      expect(await database.query('SELECT 1 FROM logs')).toHaveLength(1);
      const [{ behind }] = await database.query<[{ behind: boolean }]>(
        'SELECT trimmed_before < extract(epoch FROM now()) AS behind FROM log_state',
      );
      expect(behind).toBe(true);
    } finally {
      await state.close();
    }
  }));

it('counts each row once, whether its month is dropped or its rows are deleted', () =>
  withDatabase(async (database) => {
    await write(
      database,
      '2026-03-02T10:00Z',
      '2026-03-20T10:20Z',
      '2026-03-20T10:40Z',
      '2026-04-02T00:00Z',
      '2026-04-03T00:00Z',
    );
    await aggregate(database);
    expect(await trimLogs(database, Date.UTC(2026, 2, 20, 10, 30) / 1000)).toBe(2);
    // The rollup of that hour still counts both of its rows. Another row arrives late.
    await write(database, '2026-03-25T00:00Z');
    expect(await trimLogs(database, Date.UTC(2026, 3, 2, 12) / 1000)).toBe(3);
    expect(await database.query('SELECT created_at::int FROM logs')).toEqual([
      { created_at: Date.UTC(2026, 3, 3) / 1000 },
    ]);
  }));

it('takes the number of a dropped month from the rollups', () =>
  withDatabase(async (database) => {
    await write(database, '2026-03-02T10:00Z');
    await aggregate(database);
    await database.query('UPDATE log_by_route SET entries = 7000000');
    await database.query('UPDATE log_by_all SET entries = 7000000');
    expect(await trimLogs(database, Date.UTC(2026, 3, 1) / 1000)).toBe(7_000_000);
  }));
