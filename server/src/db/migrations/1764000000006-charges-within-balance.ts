import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropSettlementFunctions, settlementFunctions } from './ledger-settlement.js';

/** Settlements that charge no more than the balance has. New databases have these functions from the start. */
export class ChargesWithinBalance1764000000006 implements MigrationInterface {
  name = 'ChargesWithinBalance1764000000006';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(dropSettlementFunctions);
    for (const statement of settlementFunctions) await runner.query(statement);
  }

  /** The functions also accept the settlements of earlier versions, so they stay. */
  async down(): Promise<void> {}
}
