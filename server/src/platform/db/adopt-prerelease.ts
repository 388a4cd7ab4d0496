import type { QueryRunner } from 'typeorm';
import { SchemaError } from './schema-state.js';

/** Migrations of the last build before the first release, which the initial set in `migrations/` replaces. */
export const unreleased = [
  'Foundation1764000000000',
  'Ledger1764000000001',
  'Rollups1764000000002',
  'AccessTokens1764000000003',
  'EncryptionKeyCheck1764000000004',
  'HeaderOverride1764000000005',
  'ChargesWithinBalance1764000000006',
  'OptionWriter1764000000007',
  'PriceSync1764000000008',
  'ChannelCost1764000000009',
  'ChannelLimits1764000000010',
  'MoveIn1764000000012',
  'SecondFactors1764000000013',
  'ChannelTestError1764000000020',
  'TokenFallbacks1764000000022',
  'ModelFailures1764000000023',
  'MoveInJobs1764000000024',
  'Budgets1764000000026',
  'MinuteBudgets1764000000027',
  'TokenRotation1764000000029',
  'CapturedContents1764000000032',
  'Alerts1764000000035',
  'CustomRoles1764000000036',
  'ChannelFailures1764000000038',
  'UsageOfChannels1764000000039',
  'LogPartitions1764000000040',
  'MinuteRollups1764000000041',
];

/** The initial set, which makes the same schema. The migrations after it run as usual. Earlier times are of unreleased builds. */
const adopted = ['Foundation1764100000000', 'Ledger1764100000001', 'Rollups1764100000002'] as const;

/**
 * Decides whether a database was created by the last build before the first release.
 * @param recorded names in the migrations table
 * @throws SchemaError when an earlier build created it, whose schema is incomplete
 */
export function isPrerelease(recorded: readonly string[]): boolean {
  if (!recorded.some((name) => timeOf(name) < timeOf(adopted[0]))) return false;
  const missing = unreleased.filter((name) => !recorded.includes(name));
  if (missing.length === 0) return true;
  throw new SchemaError(
    'SCHEMA_TOO_OLD',
    `an early unreleased build created this database (it lacks ${missing.join(', ')}): start the last unreleased build once, then this one, or use an empty database`,
  );
}

/**
 * Records the initial migrations in place of those of the last unreleased build, whose schema is the same. One transaction;
 * the caller holds the migration lock.
 */
export async function adoptPrerelease(runner: QueryRunner): Promise<void> {
  await runner.startTransaction();
  try {
    await runner.query('DELETE FROM migrations WHERE name = ANY ($1)', [unreleased]);
    for (const name of adopted) {
      await runner.query('INSERT INTO migrations ("timestamp", name) VALUES ($1, $2)', [timeOf(name), name]);
    }
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  }
}

const timeOf = (name: string): number => Number(name.slice(-13));
