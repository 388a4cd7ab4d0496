import type { MigrationInterface, QueryRunner } from 'typeorm';
import { settlementFunctions } from './ledger-settlement.js';

/**
 * Charges are whole quota units. What a call costs beyond its charge, or less, is carried to the next call of its user
 * (docs/adr/0121-fractions-of-a-unit-are-carried.md). Servers of the version before send no rest, and carry nothing.
 */
export class CarriedFractions1764100000006 implements MigrationInterface {
  name = 'CarriedFractions1764100000006';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Apart from users, so that a settlement locks the row before those of usage and channels, and no reservation waits for it.
      CREATE TABLE quota_carry (
        user_id integer PRIMARY KEY,
        -- Sum of the prices minus the charges of each formula, in billionths of a quota unit. Its whole units were charged, and
        -- the remainder is carried; it is negative where the user has paid in advance.
        rests numeric NOT NULL
      ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

      -- Prices minus charges, in billionths of a quota unit: of all calls, and of those with a log row.
      ALTER TABLE usage_hourly ADD COLUMN rest bigint NOT NULL DEFAULT 0, ADD COLUMN logged_rest bigint NOT NULL DEFAULT 0;
    `);
    const [createType = '', ...functions] = settlementFunctions;
    const [{ found }] = (await runner.query(`SELECT to_regtype('ledger_call') IS NOT NULL AS found`)) as [
      { found: boolean },
    ];
    if (!found) await runner.query(createType);
    // Its result has one column more, which CREATE OR REPLACE refuses.
    await runner.query('DROP FUNCTION IF EXISTS ledger_settle_turn(json, text, bigint)');
    for (const create of functions) await runner.query(create.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE quota_carry; ALTER TABLE usage_hourly DROP COLUMN rest, DROP COLUMN logged_rest');
  }
}
