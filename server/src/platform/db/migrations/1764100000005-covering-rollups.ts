import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Dashboards that rank users or keys read every row of a month. A row with its histograms has 600 bytes, and the primary key with
 * the counters 130, so that ranking 80,000 rows reads a quarter of the memory and takes half of the time. Index-only scans need
 * pages that VACUUM has marked: by default it waits until a fifth of the table is new.
 */
export class CoveringRollups1764100000005 implements MigrationInterface {
  name = 'CoveringRollups1764100000005';

  async up(runner: QueryRunner): Promise<void> {
    for (const [table, keys] of tables) {
      await runner.query(`
        ALTER TABLE ${table} DROP CONSTRAINT ${table}_pkey, ADD CONSTRAINT ${table}_pkey PRIMARY KEY (${keys}) INCLUDE (${counters});
        ALTER TABLE ${table} SET (autovacuum_vacuum_insert_scale_factor = 0.02)`);
    }
    // Without its counters, Postgres would read those of a hundred keys by reading all of the primary key.
    await runner.query(`
      DROP INDEX usage_by_token_key;
      CREATE INDEX usage_by_token_key ON usage_by_token (token_id, granularity, start) INCLUDE (${counters})`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX usage_by_token_key;
      CREATE INDEX usage_by_token_key ON usage_by_token (token_id, granularity, start)`);
    for (const [table, keys] of tables) {
      await runner.query(`
        ALTER TABLE ${table} DROP CONSTRAINT ${table}_pkey, ADD CONSTRAINT ${table}_pkey PRIMARY KEY (${keys});
        ALTER TABLE ${table} RESET (autovacuum_vacuum_insert_scale_factor)`);
    }
  }
}

const tables = [
  ['usage_by_user', 'granularity, start, user_id'],
  ['usage_by_token', 'granularity, start, user_id, token_id'],
] as const;

const counters = `calls, stream_calls, failed_calls, prompt_tokens, completion_tokens, cached_tokens, quota, duration_ms, cost_calls,
  cost_quota, cost_nano_usd`;
