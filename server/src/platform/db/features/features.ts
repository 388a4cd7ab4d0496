import type pg from 'pg';
import { advisoryLocks } from '../advisory-locks.js';
import { valueOf, type Feature } from './feature.js';

const oldestVersion = 150_000;
const lockNotAvailable = '55P03';

/**
 * Abilities that migrations, the ledger, rollups and background jobs use, and that other engines with the protocol of
 * Postgres lack or implement differently. They are in the order of the report.
 */
export const features: readonly Feature[] = [
  {
    code: 'VERSION',
    ability: 'version 15 or newer of Postgres, or one that is compatible with it',
    without: 'Migrations use SQL that older versions refuse.',
    probe: async (first) => Number(await valueOf(first, 'SHOW server_version_num')) >= oldestVersion,
  },
  {
    code: 'TRANSACTIONAL_DDL',
    ability: 'rollback of created tables',
    without: 'A migration that is interrupted would leave half of its changes.',
    async probe(first) {
      await first.query('BEGIN');
      await first.query('CREATE TABLE rolled_back (id integer)');
      await first.query('ROLLBACK');
      return (await valueOf(first, "SELECT to_regclass('rolled_back')")) === null;
    },
  },
  {
    code: 'PLPGSQL',
    ability: 'functions in PL/pgSQL with settings of their own',
    without: 'The functions of the ledger, which are the only writers of balances, cannot be created.',
    async probe(first) {
      await first.query(`
        CREATE TYPE pair AS (a integer, b bigint);
        CREATE FUNCTION tried(p_rows json) RETURNS bigint LANGUAGE plpgsql
          SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
        DECLARE
          pairs pair[];
        BEGIN
          SELECT array_agg(ROW(x.a, x.b)::pair) INTO pairs FROM json_to_recordset(p_rows) AS x(a integer, b bigint);
          RETURN (SELECT sum(p.a * p.b) FROM unnest(pairs) p);
        END $$`);
      return (await valueOf(first, `SELECT tried('[{"a":2,"b":3},{"a":4,"b":5}]')`)) === '26';
    },
  },
  {
    code: 'ADVISORY_LOCKS',
    ability: 'advisory locks of a transaction that hold over all sessions',
    without:
      'Servers that start together would migrate at the same time, and limits on numbers of rows would not hold.',
    async probe(first, second) {
      await first.query('BEGIN');
      await first.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.probe]);
      await second.query('BEGIN');
      const taken = `SELECT pg_try_advisory_xact_lock(${advisoryLocks.probe})`;
      if ((await valueOf(second, taken)) !== false) return false;
      await first.query('COMMIT');
      return (await valueOf(second, taken)) === true;
    },
  },
  {
    code: 'TABLE_LOCKS',
    ability: 'locks of a table that hold over all sessions',
    without: 'A month of the log could not get its partition once it has rows.',
    async probe(first, second) {
      await first.query('CREATE TABLE locked (n integer)');
      await first.query('BEGIN');
      await first.query('LOCK TABLE locked IN ACCESS EXCLUSIVE MODE');
      await second.query('BEGIN');
      const locking = second.query('LOCK TABLE locked IN ACCESS SHARE MODE NOWAIT');
      return locking.then(
        () => false,
        (error: unknown) => error instanceof Error && 'code' in error && error.code === lockNotAvailable,
      );
    },
  },
  {
    code: 'PARTITIONS',
    ability: 'range partitions with a default partition, created by a function',
    without: 'The log is partitioned by month.',
    async probe(first) {
      await first.query(`
        CREATE TABLE parted (at bigint NOT NULL, id bigint NOT NULL, PRIMARY KEY (at, id)) PARTITION BY RANGE (at);
        CREATE TABLE parted_default PARTITION OF parted DEFAULT;
        CREATE FUNCTION add_part() RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          EXECUTE format('CREATE TABLE %I PARTITION OF parted FOR VALUES FROM (%s) TO (%s)', 'parted_one', 10, 20);
        END $$;
        SELECT add_part();
        INSERT INTO parted VALUES (15, 1), (25, 2)`);
      return (
        (await valueOf(first, 'SELECT count(*) FROM parted_one')) === '1' &&
        (await valueOf(first, "SELECT count(*) FROM pg_inherits WHERE inhparent = 'parted'::regclass")) === '2'
      );
    },
  },
  {
    code: 'TRIGGERS',
    ability: 'row triggers with a condition on a partitioned table',
    without: 'Rollups would not learn of rows that are written late.',
    async probe(first) {
      await first.query(`
        CREATE TABLE watched (at bigint NOT NULL) PARTITION BY RANGE (at);
        CREATE TABLE watched_default PARTITION OF watched DEFAULT;
        CREATE TABLE noticed (at bigint PRIMARY KEY);
        CREATE FUNCTION notice_row() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO noticed VALUES (NEW.at) ON CONFLICT DO NOTHING; RETURN NULL; END $$;
        CREATE TRIGGER watch AFTER INSERT OR UPDATE ON watched FOR EACH ROW
          WHEN (NEW.at <= 10) EXECUTE FUNCTION notice_row();
        INSERT INTO watched VALUES (5), (5), (50)`);
      return (await valueOf(first, 'SELECT string_agg(at::text, $$,$$) FROM noticed')) === '5';
    },
  },
  {
    code: 'SEQUENCES',
    ability: 'sequences whose value every session sees at once',
    without: 'Rollups could miss rows that are written while an hour is closed.',
    async probe(first, second) {
      await first.query('CREATE SEQUENCE closed_until MINVALUE 0');
      await first.query('BEGIN');
      await first.query("SELECT setval('closed_until', 42)");
      return (await valueOf(second, "SELECT pg_sequence_last_value('closed_until')")) === '42';
    },
  },
  {
    code: 'SNAPSHOTS',
    ability: 'transaction ids and snapshots (xid8)',
    without: 'Rollups could not wait for transactions that began before an hour was closed.',
    async probe(first, second) {
      await first.query('BEGIN');
      const id = String(await valueOf(first, 'SELECT pg_current_xact_id()::text'));
      const ended = `SELECT pg_snapshot_xmin(pg_current_snapshot()) > '${id}'::xid8`;
      return (await valueOf(second, ended)) === false;
    },
  },
  {
    code: 'READ_COMMITTED',
    ability: 'statements that see what others committed before them',
    without: 'A batch of the ledger that waited for another would work with old balances.',
    async probe(first, second) {
      await first.query('CREATE TABLE committed (n integer)');
      await first.query('BEGIN');
      const before = await valueOf(first, 'SELECT count(*) FROM committed');
      await second.query('INSERT INTO committed VALUES (1)');
      return before === '0' && (await valueOf(first, 'SELECT count(*) FROM committed')) === '1';
    },
  },
  {
    code: 'REPEATABLE_READ',
    ability: 'the isolation level REPEATABLE READ',
    without: 'Reports and the check of the ledger would mix numbers of different moments.',
    async probe(first, second) {
      await first.query('CREATE TABLE snapshot (n integer)');
      await first.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await valueOf(first, 'SELECT count(*) FROM snapshot');
      await second.query('INSERT INTO snapshot VALUES (1)');
      return (await valueOf(first, 'SELECT count(*) FROM snapshot')) === '0';
    },
  },
  {
    code: 'SKIP_LOCKED',
    ability: 'row locks that others skip (FOR UPDATE SKIP LOCKED)',
    without: 'Servers would send the same notice twice or wait for each other.',
    async probe(first, second) {
      await first.query('CREATE TABLE queued (id integer PRIMARY KEY); INSERT INTO queued VALUES (1), (2)');
      await first.query('BEGIN');
      await first.query('SELECT id FROM queued WHERE id = 1 FOR NO KEY UPDATE');
      await second.query('BEGIN');
      return (await valueOf(second, 'SELECT id FROM queued ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED')) === 2;
    },
  },
  {
    code: 'ARRAYS',
    ability: 'several arrays unnested together, with their order',
    without: 'Lists of rows are written and looked up this way.',
    async probe(first) {
      const text = `SELECT string_agg(a || b || place, ',' ORDER BY place)
        FROM unnest(ARRAY[1, 2], ARRAY['x', 'y']) WITH ORDINALITY AS t (a, b, place)`;
      return (await valueOf(first, text)) === '1x1,2y2';
    },
  },
  {
    code: 'WRITING_QUERIES',
    ability: 'writes inside of WITH, and INSERT … ON CONFLICT DO UPDATE',
    without: 'A settlement is one statement that writes several tables.',
    async probe(first) {
      await first.query(
        'CREATE TABLE held (id integer PRIMARY KEY, n bigint); CREATE TABLE sums (id integer PRIMARY KEY, n bigint)',
      );
      await first.query('INSERT INTO held VALUES (1, 5), (2, 7); INSERT INTO sums VALUES (0, 100)');
      await first.query(`WITH gone AS MATERIALIZED (DELETE FROM held RETURNING n)
        INSERT INTO sums SELECT 0, sum(n) FROM gone ON CONFLICT (id) DO UPDATE SET n = sums.n + excluded.n`);
      return (await valueOf(first, 'SELECT n FROM sums')) === '112';
    },
  },
  {
    code: 'LOCAL_SETTINGS',
    ability: 'settings that end with their transaction',
    without: 'Migrations limit how long they wait for locks, and reservations do not wait for the disk.',
    async probe(first) {
      const before = await settings(first);
      await first.query('BEGIN');
      await first.query("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '500ms'");
      await first.query("SELECT set_config('synchronous_commit', 'off', true)");
      const inside = await settings(first);
      await first.query('COMMIT');
      return inside === '0,500ms,off' && (await settings(first)) === before;
    },
  },
];

async function settings(client: pg.Client): Promise<string> {
  const names = ['statement_timeout', 'lock_timeout', 'synchronous_commit'];
  return String(
    await valueOf(client, `SELECT concat_ws(',', ${names.map((n) => `current_setting('${n}')`).join(', ')})`),
  );
}
