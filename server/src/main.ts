import 'reflect-metadata';
import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ConfigError, databaseConnections, parseConfig, type Config } from './platform/config.js';
import { EmbeddedError } from './platform/db/embedded/embedded-error.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './platform/db/embedded/embedded-postgres.js';
import { EncryptionKeyError } from './platform/db/encryption-key.js';
import { SchemaError } from './platform/db/schema-state.js';
import { growHeap } from './platform/heap.js';
import { ListenError } from './platform/http/listen-error.js';
import { createLogger, type Logger } from './platform/observability/logger.js';
import { WorkerEndedError, type Ready } from './platform/workers/primary.js';
import { nodeIdVariable, Worker } from './platform/workers/worker.js';

/** With npm in between, a Ctrl-C in a terminal reaches us twice in quick succession: directly, and forwarded. */
const echoMilliseconds = 500;

growHeap();

async function main(): Promise<void> {
  const config = readConfig();
  if (!config) return;
  const { workers } = config;
  const plain = createLogger(config.logLevel);
  const logger = cluster.worker ? plain.child({ worker: cluster.worker.id }) : plain;
  const worker = cluster.isWorker && workers > 1 ? new Worker(process.env[nodeIdVariable] ?? '', logger) : null;
  const isPrimary = workers > 1 && !worker;
  const server = loadLate(config, logger, isPrimary ? loadPrimary : (...given) => loadServer(...given, worker));
  const stop = handleSignals(server, logger);
  worker?.stopBy(stop.begin);
  try {
    const { url, setupCode } = await server.start();
    if (worker) return worker.ready(url, setupCode);
    const database = config.databaseUrl ? 'external' : 'embedded';
    logger.info({ url, node: process.version, database, ...(isPrimary ? { workers } : {}) }, 'ready');
    // The logger is not used, because the code is needed at every log level, and the address is for people.
    if (setupCode) {
      console.log(
        `Open ${url}/setup?code=${setupCode} to set up this site (from another machine, put its address in the link)`,
      );
    } else if (isForPeople()) console.log(`Open ${url} to sign in`);
  } catch (error) {
    // A start that is stopped ends early. That is no failure, and the stop ends the process.
    if (stop.hasBegun()) return;
    if (error instanceof WorkerEndedError) process.exitCode = 1;
    else fail(describeStartFailure(error));
    if (!isForeseen(error)) logger.fatal({ err: error }, 'start failed');
    // After a failed start, timers or sockets of started parts must not keep the process alive.
    logger.flush(() => process.exit());
  }
}

interface Server {
  start(): Promise<Ready>;
  stop(): Promise<void>;
  restart?(): void;
}

type Load = (config: Config, logger: Logger, embedded: Promise<EmbeddedPostgres> | undefined) => Promise<Server>;

/**
 * A server whose code is loaded while its embedded database starts. On a new site `initdb` takes longer than that, and it
 * runs on another core.
 */
function loadLate(config: Config, logger: Logger, load: Load): Server {
  const begin = async (): Promise<Server> => {
    const embedded = config.databaseUrl ? undefined : await beginDatabase(config, logger);
    return load(config, logger, embedded?.started);
  };
  let loading: Promise<Server> | undefined;
  return {
    start: async () => {
      loading = begin();
      const server = await loading;
      return server.start();
    },
    stop: async () => {
      const server = await loading?.catch(() => undefined);
      await server?.stop();
    },
    ...(load === loadPrimary ? { restart: () => void loading?.then((server) => server.restart?.()) } : {}),
  };
}

/** Resolves when other processes are at work on the embedded database: code that loads earlier would delay them. */
async function beginDatabase(config: Config, logger: Logger): Promise<{ started: Promise<EmbeddedPostgres> }> {
  const settings = { dataDir: config.dataDir, databasePoolSize: databaseConnections(config) };
  return new Promise((resolve) => {
    const started = startEmbeddedPostgres(settings, logger, () => resolve({ started }));
    started.then(
      () => resolve({ started }),
      () => resolve({ started }),
    );
  });
}

const loadPrimary: Load = async (config, logger, embedded) => {
  const { createPrimary } = await import('./platform/workers/create-primary.js');
  return createPrimary(config, logger, fileURLToPath(import.meta.url), embedded);
};

async function loadServer(
  ...[config, logger, embedded, worker]: [...Parameters<Load>, Worker | null]
): Promise<Server> {
  const { createContainer } = await import('./container.js');
  return createContainer(config, {
    logger,
    worker,
    embedded,
    roots: { client: findFolder('../client'), docs: findFolder('../../docs') },
    importProgram: [
      process.execPath,
      ...(process.sourceMapsEnabled ? ['--enable-source-maps'] : []),
      fileURLToPath(new URL('import/job.main.js', import.meta.url)),
    ],
  });
}

/** Whether a person started the server by hand: other output is read by programs, which expect one JSON object a line. */
const isForPeople = (): boolean => process.stdout.isTTY || process.env['npm_lifecycle_event'] === 'start';

function readConfig(): Config | undefined {
  try {
    return parseConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) fail(problem);
    return undefined;
  }
}

/** Failures whose message is meant for the operator, one line each. */
function fail(line: string): void {
  process.stderr.write(`tollgate: ${line}\n`);
  process.exitCode = 1;
}

const isForeseen = (error: unknown): boolean =>
  error instanceof WorkerEndedError ||
  error instanceof ConfigError ||
  error instanceof EmbeddedError ||
  error instanceof SchemaError ||
  error instanceof EncryptionKeyError ||
  error instanceof ListenError;

function describeStartFailure(error: unknown): string {
  if (error instanceof SchemaError || error instanceof EncryptionKeyError) return `${error.message} (${error.code})`;
  return (error instanceof Error ? error.message : String(error)).split('\n').join(' ');
}

/**
 * The first signal stops gracefully, a second one ends the process at once. SIGUSR2 restarts workers.
 * @returns `begin`: the same as the first signal, however often it is called
 */
function handleSignals(server: Server, logger: Logger): { begin: () => void; hasBegun: () => boolean } {
  let stoppingSince: number | undefined;
  const begin = (signal: string): void => {
    if (stoppingSince !== undefined) return;
    stoppingSince = Date.now();
    logger.info({ signal }, 'stopping');
    void server.stop().then(() => {
      logger.info('stopped');
      logger.flush(() => process.exit());
    });
  };
  const stop = (signal: string): void => {
    // The embedded database is signalled to stop as the process ends.
    if (stoppingSince !== undefined && Date.now() - stoppingSince >= echoMilliseconds) process.exit(1);
    begin(signal);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop(signal));

  // A bug: the state of the process is unknown, so it must end. An orderly stop settles the calls in flight.
  const crash = (error: unknown): void => {
    logger.fatal({ err: error }, 'unexpected failure, stopping');
    process.exitCode = 1;
    begin('failure');
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
  // Without a listener the signal ends the process.
  process.on('SIGUSR2', () => {
    if (server.restart) server.restart();
    else logger.warn('SIGUSR2 was ignored: it restarts workers, and this process has none');
  });
  return { begin: () => begin('primary'), hasBegun: () => stoppingSince !== undefined };
}

/** In a build the console is next to the server, in `dist`, and the documentation next to `dist`. */
function findFolder(path: string): string | null {
  const folder = fileURLToPath(new URL(path, import.meta.url));
  return existsSync(folder) ? folder : null;
}

await main();
