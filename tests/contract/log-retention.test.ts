import { MemoryState } from '../../server/src/cache/memory-state.js';
import { entities } from '../../server/src/compose/entities.js';
import { createDataSource } from '../../server/src/db/data-source.js';
import { keptSince, LogRetention } from '../../server/src/modules/logs/log.jobs.js';
import { createTestDatabase } from '../support/database.js';

it('keeps from the first of the month that holds the oldest day to keep', () => {
  const now = Date.UTC(2026, 10, 20, 12);
  expect(new Date(keptSince(now, 30) * 1000).toISOString()).toBe('2026-10-01T00:00:00.000Z');
  expect(new Date(keptSince(now, 365) * 1000).toISOString()).toBe('2025-11-01T00:00:00.000Z');
});

it('drops what is older, once, and leaves the rest', async () => {
  const test = await createTestDatabase();
  const database = await createDataSource(test.url, 2, entities).initialize();
  const state = new MemoryState();
  try {
    const now = Date.UTC(2026, 10, 20, 12);
    await database.query(`SELECT logs_ensure_partitions('2026-01-01', 11)`);
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
    // 60 days before 20 November is 21 September: September stays whole.
    expect(await new LogRetention({ ...parts, nodeId: 'one' }).drop()).toBe(8);
    expect(await new LogRetention({ ...parts, nodeId: 'two' }).drop()).toBe(0);
    const [left] = await database.query<Array<{ oldest: string; rows: string }>>(
      `SELECT to_char(to_timestamp(min(created_at)) AT TIME ZONE 'UTC', 'YYYY-MM') AS oldest, count(*) AS rows FROM logs`,
    );
    expect(left).toEqual({ oldest: '2026-09', rows: '3' });
    const [gone] = await database.query<Array<{ found: string | null }>>(`SELECT to_regclass('logs_202608') AS found`);
    expect(gone?.found).toBeNull();
  } finally {
    await state.close();
    await database.destroy();
    await test.drop();
  }
});
