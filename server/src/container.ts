import type { FastifyInstance } from 'fastify';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Changes } from './cache/changes.js';
import { createSharedState } from './cache/create-shared-state.js';
import type { Config } from './config.js';
import { openDatabase, type Database } from './db/database.js';
import { createApp } from './http/app.js';
import { closeGracefully } from './http/close-gracefully.js';
import { healthRoutes } from './modules/health/health.routes.js';
import { HealthService } from './modules/health/health.service.js';
import { LedgerKeeper } from './modules/quota/ledger.jobs.js';
import { PostgresLedger } from './modules/quota/postgres-ledger.service.js';
import { Spool } from './modules/quota/spool.js';
import { httpMetrics } from './observability/http-metrics.js';
import { createLogger, type Logger } from './observability/logger.js';
import { Metrics } from './observability/metrics.js';
import { systemClock } from './shared/clock.js';
import { Secrets } from './shared/secrets.js';
import { Shutdown } from './shutdown.js';

/** A whole server. */
export interface Container {
  /** Opens everything in order; the port comes last, so whoever reaches it reaches a server that works. */
  start(): Promise<StartedServer>;
  /** Stops accepting, lets calls in flight finish, closes everything in reverse order. Safe to call at any time, twice. */
  stop(): Promise<void>;
}

export interface StartedServer {
  /** `http://127.0.0.1:3000`: how this machine reaches it. */
  readonly url: string;
  readonly app: FastifyInstance;
  readonly database: Database;
}

/** @param clientRoot folder of the built console; null serves none */
export interface Surroundings {
  readonly logger?: Logger;
  readonly clientRoot?: string | null;
}

/** The composition root: every object of the server, built by hand, once, in reading order. */
export function createContainer(config: Config, surroundings: Surroundings = {}): Container {
  const logger = surroundings.logger ?? createLogger(config.logLevel);
  const shutdown = new Shutdown(logger);
  const cancelled = new AbortController();
  let starting: Promise<StartedServer> | undefined;

  async function start(): Promise<StartedServer> {
    const metrics = new Metrics();
    const database = await openDatabase(config, logger, metrics, cancelled.signal);
    shutdown.onStop('database', database.close);
    const app = await compose(config, logger, metrics, database, shutdown, surroundings.clientRoot ?? null);
    await app.listen({ port: config.port, host: config.host });
    return { url: localUrl(app), app, database };
  }

  return {
    start() {
      starting = start().catch(async (error: unknown) => {
        await shutdown.stop();
        throw error;
      });
      return starting;
    },
    async stop() {
      cancelled.abort();
      // What is half open cannot be closed.
      await starting?.catch(() => undefined);
      await shutdown.stop();
    },
  };
}

async function compose(
  config: Config,
  logger: Logger,
  metrics: Metrics,
  database: Database,
  shutdown: Shutdown,
  clientRoot: string | null,
): Promise<FastifyInstance> {
  const { dataSource, ledgerPool } = database;
  const clock = systemClock;
  const nodeId = randomUUID();
  const secrets = new Secrets(database.encryptionKey);

  // Shared state
  const state = await createSharedState(config.redis, { logger, degraded: metrics.sharedStateDegraded });
  shutdown.onStop('shared state', () => state.close());
  const changes = new Changes(state);
  shutdown.onStop('announcements', await changes.listen());

  // The books
  const ledger = new PostgresLedger({
    pool: ledgerPool,
    nodeId,
    spool: new Spool(join(config.dataDir, 'spool'), nodeId),
    clock,
    logger,
    metrics: {
      turn: (size, milliseconds) => {
        metrics.ledgerBatchSize.observe(size);
        metrics.ledgerBatchSeconds.observe(milliseconds / 1000);
      },
    },
  });
  shutdown.onStop('ledger', () => ledger.stop());
  const keeper = new LedgerKeeper({ pool: ledgerPool, nodeId, ledger, logger });
  await keeper.start(config.databaseUrl === undefined);
  shutdown.onStop('ledger keeper', () => keeper.stop());

  // Services

  // Skins
  const health = new HealthService([
    { name: 'database', check: () => database.ping() },
    { name: 'sharedState', check: async () => void ((await state.ping()) || Promise.reject(new Error('away'))) },
  ]);

  // HTTP
  const app = await createApp({
    logger,
    state,
    trustedProxies: config.trustedProxies,
    apiRateLimit: config.apiRateLimit,
    webRateLimit: config.webRateLimit,
    clientRoot,
    systemName: () => 'Tollgate',
    plugins: [httpMetrics(metrics), healthRoutes(health, metrics, config.metricsToken)],
    api: [],
  });
  shutdown.onStop('http', () => closeGracefully(app, config.shutdownMilliseconds, logger));
  shutdown.onStop('readiness', () => health.beginStop());
  return app;
}

function localUrl(app: FastifyInstance): string {
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return `http://127.0.0.1:${address.port}`;
}
