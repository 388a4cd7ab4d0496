import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Providers that number an order before it is paid are asked for it, and refund it, by that number. */
export class ProviderOrders1764100000030 implements MigrationInterface {
  name = 'ProviderOrders1764100000030';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE top_up_orders ADD COLUMN provider_order_id text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE top_up_orders DROP COLUMN provider_order_id');
  }
}
