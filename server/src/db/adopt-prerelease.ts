import type { QueryRunner } from 'typeorm';
import { usageFiveMinutes } from './migrations/1764000000001-ledger.js';
import { ledgerFunctions } from './migrations/ledger-functions.js';
import { SchemaError } from './schema-state.js';

/** Migrations of the builds before the first release, replaced by the initial set in `migrations/`. */
const prerelease: ReadonlySet<string> = new Set([
  'Foundation1763600000000',
  'Ledger1763600000001',
  'Audit1763700000000',
  'Redemptions1763710000000',
  'TopUpOrders1763710000001',
  'PriceVersions1763710000002',
  'LogIndexes1763710000003',
  'Tasks1763720000000',
  'Realtime1763720000001',
  'TokenLimits1763730000000',
  'Sums1763740000000',
  'Notices1763750000000',
  'UnflushedHolds1763760000000',
  'SumSlots1763770000000',
  'SumKeys1763770000001',
  'SingleCalls1763780000000',
  'UpstreamCosts1763790000000',
  'KeptSlots1763800000000',
  'SumMinutes1763810000000',
]);

/** The part of the initial set that an adopted schema already has. The migrations after it run as usual. */
const adopted = ['Foundation1764000000000', 'Ledger1764000000001'] as const;

/**
 * Decides whether a database was created by the last build before the first release.
 * @param recorded names in the migrations table
 * @throws SchemaError when an earlier build created it, whose schema is incomplete
 */
export function isPrerelease(recorded: readonly string[]): boolean {
  if (recorded.length === 0 || !recorded.every((name) => prerelease.has(name))) return false;
  const missing = [...prerelease].filter((name) => !recorded.includes(name));
  if (missing.length === 0) return true;
  throw new SchemaError(
    'SCHEMA_TOO_OLD',
    `an early unreleased build created this database (it lacks ${missing.join(', ')}): start the last unreleased build once, then this one, or use an empty database`,
  );
}

/**
 * Brings the schema of the last unreleased build to that of the initial migrations and records these. Keeps all rows
 * except the costs that providers reported and the rollups: both are derived, dropped here and rebuilt from the log and
 * hourly usage in the background. One transaction; the caller holds the migration lock.
 */
export async function adoptPrerelease(runner: QueryRunner): Promise<void> {
  await runner.startTransaction();
  try {
    await runner.query('SET LOCAL statement_timeout = 0');
    await runner.query(`
      DROP TRIGGER sums_late_write ON logs;
      DROP TRIGGER sums_late_delete ON logs;
      DROP TRIGGER sums_late_write ON usage_hourly;
      DROP TRIGGER sums_late_delete ON usage_hourly;
      DROP TABLE log_by_all, log_by_route, usage_by_all, usage_by_token, usage_by_user, usage_by_route, usage_by_model,
        sums_late, sums_state;
      DROP FUNCTION sums_mark_log, sums_mark_usage, sums_drop_kept_slots, sums_clock;
      DROP SEQUENCE sums_closed_until;
      DROP FUNCTION ledger_reserve_one, ledger_reserve, ledger_settle_one, ledger_settle_calls, ledger_settle_lost,
        ledger_settle_turn, ledger_settle, ledger_add_buckets, ledger_release, ledger_post;
      DROP TYPE ledger_settlement, ledger_hold;
    `);
    await runner.query(`
      ALTER TABLE reservations ADD COLUMN model_name text NOT NULL DEFAULT '';
      ALTER TABLE usage_hourly ADD COLUMN first_token_buckets bigint[] NOT NULL DEFAULT '{}',
        ADD COLUMN cost_calls bigint NOT NULL DEFAULT 0, ADD COLUMN cost_quota bigint NOT NULL DEFAULT 0,
        ADD COLUMN cost_nano_usd bigint NOT NULL DEFAULT 0;
      -- The costs of providers were kept by hour and channel only, so they cannot be moved to the rows of usage_hourly.
      DROP TRIGGER upstream_costs_note ON logs;
      DROP FUNCTION upstream_costs_note;
      DROP TABLE upstream_costs, upstream_costs_new;
    `);
    await runner.query(usageFiveMinutes);
    for (const statement of ledgerFunctions) await runner.query(statement);
    await runner.query('DELETE FROM migrations');
    for (const name of adopted) {
      await runner.query('INSERT INTO migrations ("timestamp", name) VALUES ($1, $2)', [Number(name.slice(-13)), name]);
    }
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  }
}
