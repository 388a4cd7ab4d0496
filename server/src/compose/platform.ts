import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Changes } from '../platform/cache/changes.js';
import { createSharedState } from '../platform/cache/create-shared-state.js';
import type { Config } from '../platform/config.js';
import type { Database } from '../platform/db/database.js';
import { Signals } from '../platform/live/signals.js';
import type { PasswordStrength } from '../console/auth/index.js';
import { AuditRecord, AuditService } from '../console/audit/index.js';
import { CaptureRetention } from '../console/captures/capture.jobs.js';
import { ProviderIdRetention } from '../gateway/route/affinity/provider-id.jobs.js';
import { LogRetention } from '../console/logs/log.jobs.js';
import { Idempotency } from '../platform/idempotency/idempotency.js';
import { LogService } from '../console/logs/index.js';
import { Option } from '../options/option.entity.js';
import { OptionService } from '../options/option.service.js';
import { defaultKeeperTimes, LedgerKeeper, type KeeperTimes } from '../billing/ledger/ledger.jobs.js';
import { ChargeCheckpoints, PostgresLedger, Spool, watchSpool } from '../billing/ledger/index.js';
import { Aggregator, dropOldUsage } from '../billing/rollups/index.js';
import { RollupClock } from '../billing/rollups/rollups.jobs.js';
import { Mailer } from '../platform/mail/mailer.js';
import type { Logger } from '../platform/observability/logger.js';
import { type Metrics } from '../platform/observability/metrics.js';
import { GuardedFetch } from '../platform/outbound/guarded-fetch.js';
import { OutboundGuard } from '../platform/outbound/outbound-guard.js';
import { millisecondsIn, seconds, systemClock } from '../shared/clock.js';
import { Secrets } from '../shared/secrets.js';
import { type Shutdown } from '../shutdown.js';
import type { Worker } from '../platform/workers/worker.js';

/** Configuration, logger, metrics, database and shutdown hooks. */
export interface Foundation {
  readonly config: Config;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly database: Database;
  readonly shutdown: Shutdown;
  /** The worker; null in a process that serves alone. */
  readonly worker: Worker | null;
  /** The strength; undefined in production, where the service's default applies. */
  readonly passwordStrength: PasswordStrength | undefined;
  /** Command of the process that imports data. */
  readonly importProgram: readonly string[];
}

export type Platform = Awaited<ReturnType<typeof composePlatform>>;

/** Shared state, ledger, logs, options and outbound clients, which every subject depends on. */
export async function composePlatform(foundation: Foundation) {
  const { config, logger, metrics, database, shutdown, worker } = foundation;
  const { dataSource, ledgerPool } = database;
  const clock = systemClock;
  const nodeId = worker?.nodeId ?? randomUUID();
  const secrets = new Secrets(database.encryptionKey);

  // Shared state
  const observer = { logger, degraded: metrics.sharedStateDegraded };
  const state = worker && !config.redis ? worker.sharedState : await createSharedState(config.redis, observer);
  /** Whether other processes may serve the same site. */
  const hasNeighbours = worker !== null || config.redis !== undefined;
  shutdown.onStop('shared state', () => state.close());
  const changes = new Changes(state);
  shutdown.onStop('announcements', await changes.listen());
  const signals = new Signals(state, clock);
  shutdown.onStop('signals', await signals.listen());

  // Ledger
  const spoolFolder = join(config.dataDir, 'spool');
  const ledger = new PostgresLedger({
    pool: ledgerPool,
    preparedStatements: config.databasePreparedStatements,
    nodeId,
    spool: new Spool(spoolFolder, nodeId),
    clock,
    logger,
    metrics,
    signals,
  });
  shutdown.onStop('ledger', () => ledger.stop());
  const checkpoints = new ChargeCheckpoints(ledgerPool, logger);
  watchSpool(spoolFolder, ledger, metrics);
  const { heartbeat, deadAfter } = config.nodeLife;
  const times: KeeperTimes = {
    ...defaultKeeperTimes,
    heartbeatMilliseconds: millisecondsIn(heartbeat),
    deadSeconds: deadAfter,
  };
  const keeper = new LedgerKeeper({ pool: ledgerPool, nodeId, ledger, logger, times });
  await keeper.start(config.databaseUrl === undefined);
  shutdown.onStop('ledger keeper', () => keeper.stop());
  // It starts after the first heartbeat, which is used to measure the lag of a replica.
  await database.reads.start(millisecondsIn(heartbeat));

  // Logs
  const retention = new LogRetention({
    database: dataSource,
    state,
    nodeId,
    clock,
    days: config.logRetentionDays,
    logger,
  });
  retention.start();
  shutdown.onStop('log retention', () => retention.stop());
  const dropOld = (): Promise<void> => dropOldUsage(dataSource, seconds(clock));
  const rollupClock = new RollupClock({ aggregator: new Aggregator(dataSource), dropOld, state, nodeId, logger });
  rollupClock.start();
  shutdown.onStop('rollups', () => rollupClock.stop());
  const auditService = new AuditService(dataSource.getRepository(AuditRecord));
  const logService = new LogService(dataSource, secrets, clock, database.reads, auditService);

  const optionService = new OptionService({
    options: dataSource.getRepository(Option),
    secrets,
    changes,
    usageLog: logService,
    auditLog: auditService,
    logger,
    syncSeconds: config.syncSeconds,
  });
  await optionService.start();
  shutdown.onStop('options', () => optionService.stop());
  const captureRetention = new CaptureRetention({
    database: dataSource,
    options: optionService,
    state,
    nodeId,
    clock,
    logger,
  });
  captureRetention.start();
  shutdown.onStop('capture retention', () => captureRetention.stop());
  const providerIdRetention = new ProviderIdRetention({ database: dataSource, state, nodeId, clock, logger });
  providerIdRetention.start();
  shutdown.onStop('provider id retention', () => providerIdRetention.stop());

  const idempotency = new Idempotency(dataSource);

  // Outbound calls
  const outboundGuard = new OutboundGuard(config.outboundAllow);
  const guardedFetch = new GuardedFetch(outboundGuard);
  shutdown.onStop('outbound calls', () => guardedFetch.close());
  const mailer = new Mailer(optionService, logger);

  return {
    ...foundation,
    dataSource,
    clock,
    nodeId,
    secrets,
    state,
    hasNeighbours,
    changes,
    signals,
    ledger,
    checkpoints,
    logService,
    auditService,
    optionService,
    idempotency,
    outboundGuard,
    guardedFetch,
    mailer,
  };
}
