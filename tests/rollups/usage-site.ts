import type { DataSource } from 'typeorm';
import { entities } from '../../server/src/compose/entities.js';
import { createDataSource } from '../../server/src/platform/db/data-source.js';
import { Aggregator } from '../../server/src/billing/rollups/aggregator.js';
import { UsageService } from '../../server/src/console/usage/usage.service.js';
import type { Actor } from '../../server/src/shared/actor.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

export const root: Actor = { id: 1, username: 'root', role: 'root', status: 'enabled', group: 'default' };

/** A database for rows of usage, and the engine that reads them. */
export interface UsageSite {
  readonly database: TestDatabase;
  readonly dataSource: DataSource;
  readonly usage: UsageService;
  /** Aggregates all that is due. */
  aggregate(): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param now Unix seconds, as the engine sees it
 * @param given a database with content; default: a fresh one
 */
export async function openUsageSite(now: number, given?: TestDatabase): Promise<UsageSite> {
  const database = given ?? (await createTestDatabase());
  // On a busy machine, a statement of a fill takes longer than the limit for statements of pages.
  const dataSource = await createDataSource(database.url, 4, entities, undefined, {
    statement_timeout: 0,
  }).initialize();
  return {
    database,
    dataSource,
    usage: new UsageService({
      database: dataSource,
      options: { values: { QuotaPerUnit: 500_000 } },
      clock: { now: () => now * 1000 },
    }),
    aggregate: async () => {
      await new Aggregator(dataSource, 60_000).run();
    },
    close: async () => {
      await dataSource.destroy();
      await database.drop();
    },
  };
}

/** Makes the database put models in the order of a language, as that of some sites does. */
export async function orderModelsByLanguage({ dataSource }: UsageSite): Promise<void> {
  for (const table of ['usage_hourly', 'usage_by_model', 'usage_by_route', 'usage_by_all']) {
    await dataSource.query(`ALTER TABLE ${table} ALTER COLUMN model_name TYPE text COLLATE "und-x-icu"`);
  }
}
