import type { FastifyInstance } from 'fastify';
import type { Config } from './platform/config.js';
import type { PasswordStrength } from './console/auth/index.js';
import { openDatabase, type Database } from './platform/db/database.js';
import type { EmbeddedPostgres } from './platform/db/embedded/embedded-postgres.js';
import { ListenError } from './platform/http/listen-error.js';
import { createLogger, type Logger } from './platform/observability/logger.js';
import { Metrics } from './platform/observability/metrics.js';
import { Shutdown } from './shutdown.js';
import type { Worker } from './platform/workers/worker.js';
import { composeAlerts } from './compose/alerts.js';
import { composeAccounts } from './compose/accounts.js';
import { composeCatalogue } from './compose/catalogue.js';
import { composeChannels } from './compose/channels.js';
import { composeRestore } from './compose/restore.js';
import { composeDashboards } from './compose/dashboards.js';
import { composeImport } from './compose/import.js';
import { composeOperations } from './compose/operations.js';
import { composePlatform, type Foundation } from './compose/platform.js';
import { composePriceSync } from './compose/price-sync.js';
import { composeRelay } from './compose/relay.js';
import { entities } from './compose/entities.js';
import { composeSchema, type ComposedSchema } from './compose/resolvers.js';
import { composePresentations, type ServedRoots } from './compose/presentations.js';

/** A complete server. */
export interface Container {
  /** Opens everything in order. The port is opened last, so that every client reaches a working server. */
  start(): Promise<StartedServer>;
  /**
   * Stops accepting, waits for calls in flight and closes everything in reverse order. May be called at any time,
   * repeatedly.
   */
  stop(): Promise<void>;
}

export interface StartedServer {
  /** `http://127.0.0.1:3000`: the URL on this machine. */
  readonly url: string;
  readonly app: FastifyInstance;
  readonly database: Database;
  /** Needed for setting up from another machine; null when that is done. */
  readonly setupCode: string | null;
}

export interface ContainerOverrides {
  readonly logger?: Logger;
  /** Folders of files to serve; none are served unless they are given. */
  readonly roots?: Partial<ServedRoots>;
  /** Default: the strength of production. Tests pass a weak one. */
  readonly passwordStrength?: PasswordStrength;
  /** Command of the process that moves data in: the built program, or in tests its source. */
  readonly importProgram: readonly string[];
  /** The embedded Postgres, when its start has begun already. */
  readonly embedded?: Promise<EmbeddedPostgres> | undefined;
  /** Given in a process that serves a site together with others. */
  readonly worker?: Worker | null;
}

/**
 * The composition root: builds every object of the server once, by hand, in reading order. `compose/` has the subjects.
 */
export function createContainer(config: Config, overrides: ContainerOverrides): Container {
  const logger = overrides.logger ?? createLogger(config.logLevel);
  const shutdown = new Shutdown(logger);
  const cancelled = new AbortController();
  let starting: Promise<StartedServer> | undefined;

  async function start(): Promise<StartedServer> {
    const worker = overrides.worker ?? null;
    const metrics = new Metrics(true, worker && (() => worker.gather()));
    worker?.measureBy(() => metrics.read());
    shutdown.onStop('metrics', () => worker?.end());
    const opening = openDatabase(config, entities, logger, metrics, {
      cancelled: cancelled.signal,
      embedded: overrides.embedded,
    });
    // Built while the database starts.
    const composing = composeSchema();
    const database = await opening;
    shutdown.onStop('database', () => database.close());
    const { roots, passwordStrength, importProgram } = overrides;
    const foundation = { config, logger, metrics, database, shutdown, worker, passwordStrength, importProgram };
    const { app, setupCode } = await compose(foundation, await composing, { client: null, docs: null, ...roots });
    const { host, port } = config;
    await app.listen({ port, host }).catch((error: unknown) => {
      throw new ListenError(host, port, error);
    });
    return { url: localUrl(app), app, database, setupCode };
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
      // A start in progress has to end before it can be closed.
      await starting?.catch(() => undefined);
      await shutdown.stop();
    },
  };
}

async function compose(
  foundation: Foundation,
  schema: ComposedSchema,
  roots: ServedRoots,
): Promise<{ app: FastifyInstance; setupCode: string | null }> {
  const platform = await composePlatform(foundation);
  const catalogue = await composeCatalogue(platform);
  const accounts = await composeAccounts(platform, catalogue);
  const operations = composeOperations(platform, accounts);
  const priceSync = composePriceSync(platform, catalogue, accounts);
  const relay = await composeRelay(platform, accounts, operations);
  const channelServices = await composeChannels(platform, catalogue, accounts, operations, relay);
  const siteImport = composeImport(platform);
  const alerts = composeAlerts(platform, catalogue);
  const dashboards = await composeDashboards(platform, schema.schema);
  const services = { platform, catalogue, accounts, operations, priceSync, relay, channelServices };
  const restore = composeRestore(platform, accounts, catalogue, operations);
  const subjects = { ...services, siteImport, alerts, dashboards, restore };
  const { setupService } = accounts;
  const setupCode = (await setupService.isDone()) ? null : setupService.code;
  return { app: await composePresentations(subjects, schema, roots), setupCode };
}

function localUrl(app: FastifyInstance): string {
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `http://127.0.0.1:${address.port}`;
}
