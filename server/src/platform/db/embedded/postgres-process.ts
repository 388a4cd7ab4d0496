import type { ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import type { Logger } from '../../observability/logger.js';
import { lastError, type Cluster } from './cluster.js';
import { EmbeddedError } from './embedded-error.js';
import { readPostmaster, stopLeftover } from './leftover.js';
import { executable, type NativePackage } from './native-package.js';
import { spawnTool } from './run-tool.js';

const startTries = 20;
const tryAgainMilliseconds = 500;
const maxPauseMilliseconds = 10_000;
const fastStopMilliseconds = 20_000;

/**
 * Matches errors that a retry may resolve: a port in use by another process, or processes of a killed Postgres that are
 * about to end.
 */
const passing = /could not bind|could not create any TCP|pre-existing shared memory|lock file .* already exists/i;

/** A Postgres process owned by this process: restarted when it dies, stopped with the server. */
export class PostgresProcess {
  private child: ChildProcess | undefined;
  private stopping = false;
  private restart: Promise<void> | undefined;

  private constructor(
    private readonly cluster: Cluster,
    private readonly postgres: NativePackage,
    private readonly connections: number,
    private readonly logger: Logger,
    /** The port on loopback, which is constant for the lifetime of this object. */
    readonly port: number,
  ) {}

  /** @throws EmbeddedError with the reason Postgres gave */
  static async start(
    cluster: Cluster,
    postgres: NativePackage,
    connections: number,
    logger: Logger,
    onWaiting: () => void,
  ) {
    for (let attempt = 1; ; attempt++) {
      const running = new PostgresProcess(cluster, postgres, connections, logger, await freePort());
      try {
        await running.launch(onWaiting);
        return running;
      } catch (error) {
        if (attempt >= startTries || !(error instanceof EmbeddedError) || !passing.test(error.message)) throw error;
        await new Promise((resolve) => setTimeout(resolve, tryAgainMilliseconds));
      }
    }
  }

  /** Closes the connections of Postgres, flushes its data to disk, and ends its processes. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.restart;
    const child = this.child;
    if (!child || hasEnded(child)) return;
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGINT');
    const late = setTimeout(() => {
      this.logger.warn('embedded Postgres does not stop, killing it');
      child.kill('SIGQUIT');
    }, fastStopMilliseconds);
    await ended;
    clearTimeout(late);
  }

  /**
   * Resolves when Postgres accepts connections.
   * @throws EmbeddedError
   */
  private async launch(onWaiting: () => void = () => undefined): Promise<void> {
    await stopLeftover(this.cluster.path, this.logger);
    const child = spawnTool(
      executable(this.postgres.folder, 'postgres'),
      this.parameters(),
      this.cluster.toolOptions,
      'ignore',
    );
    this.child = child;
    const output = this.follow(child);
    const failure = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', () => setTimeout(() => resolve(lastError(output.join('\n'))), 20));
    });
    const endWithUs = (): void => void child.kill('SIGINT');
    process.once('exit', endWithUs);
    child.once('exit', () => process.removeListener('exit', endWithUs));

    onWaiting();
    const reason = await Promise.race([failure, this.untilReady(child)]);
    if (reason !== undefined) throw new EmbeddedError(`the embedded Postgres did not start: ${reason}`);
    child.once('exit', (code, signal) => this.died(code, signal));
    if (hasEnded(child)) this.died(child.exitCode, child.signalCode);
  }

  private async untilReady(child: ChildProcess): Promise<undefined> {
    for (;;) {
      const postmaster = await readPostmaster(this.cluster.path);
      if (postmaster && postmaster.pid === child.pid && postmaster.ready) return undefined;
      // In that case the other promise of the race settles; this one must stay pending.
      if (child.pid === undefined || hasEnded(child)) return new Promise(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  }

  private died(code: number | null, signal: string | null): void {
    if (this.stopping) return;
    this.logger.error({ code, signal }, 'embedded Postgres exited, restarting it');
    this.restart ??= this.relaunch().finally(() => (this.restart = undefined));
  }

  /** Restarts on the same port, so that clients reconnect. Retries until it succeeds or the server stops. */
  private async relaunch(): Promise<void> {
    for (let pause = tryAgainMilliseconds; !this.stopping; pause = Math.min(pause * 2, maxPauseMilliseconds)) {
      try {
        await this.launch();
        this.logger.info('embedded Postgres restarted');
        return;
      } catch (error) {
        this.logger.error({ err: error }, 'embedded Postgres could not be restarted, retrying');
        await this.pause(pause);
      }
    }
  }

  /** Waits. Ends early when the server stops. */
  private async pause(milliseconds: number): Promise<void> {
    for (const until = Date.now() + milliseconds; Date.now() < until && !this.stopping;) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  private parameters(): string[] {
    const settings = {
      listen_addresses: '127.0.0.1',
      port: this.port,
      unix_socket_directories: '',
      max_connections: this.connections,
      // Acknowledged transactions must survive a power cut.
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      // Containers have a small /dev/shm, and the queries here are small.
      max_parallel_workers_per_gather: 0,
      jit: 'off',
      timezone: 'UTC',
      // Statements and rows are not logged, because they contain users' content.
      log_error_verbosity: 'terse',
      log_min_error_statement: 'panic',
      log_line_prefix: '',
    };
    return [
      '-D',
      this.cluster.pathSeen,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ];
  }

  /**
   * Forwards the messages of Postgres to the server's log.
   * @returns the last lines, for the reason of a failure
   */
  private follow(child: ChildProcess): string[] {
    const recent: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue;
      createInterface({ input: stream }).on('line', (line) => {
        recent.push(line);
        if (recent.length > 20) recent.shift();
        if (/^(FATAL|PANIC):/.test(line) && !/the database system is|terminating connection/.test(line)) {
          this.logger.warn({ postgres: line }, 'embedded Postgres');
        } else this.logger.debug({ postgres: line }, 'embedded Postgres');
      });
    }
    return recent;
  }
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
