import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { changeKinds } from '../../platform/cache/shared-state.js';
import type { Changes } from '../../platform/cache/changes.js';
import type { JobMessage, JobOrder } from '../job-protocol.js';
import type { ProgressState } from '../progress.js';
import { parseAddress } from '../source/address.js';
import type { Clock } from '../../shared/clock.js';
import { ScheduledRuns } from '../../shared/scheduled-runs.js';
import type { ImportFiles } from './import-files.js';
import type { ImportJob, ImportJobs } from './import-jobs.js';

const tickMilliseconds = 5_000;
/** The interval of renewals, which is well within the lease of a job. */
const renewMilliseconds = 1_000;
/** The job has a lower priority than the server, which continues to serve calls. */
const niceness = 10;
const maxErrorText = 4_000;
/** Milliseconds in which a batch can end before the process is killed. */
const patienceMilliseconds = 30_000;

export interface ImportRunnerDeps {
  readonly jobs: ImportJobs;
  readonly files: ImportFiles;
  readonly changes: Changes;
  readonly databaseUrl: string;
  readonly encryptionKey: string;
  /** The value of the environment variable `OUTBOUND_ALLOW`. */
  readonly outboundAllow: readonly string[];
  /** The command that starts `job.main.js`. */
  readonly program: readonly string[];
  readonly nodeId: string;
  readonly clock: Clock;
  readonly logger: { info(details: object, message: string): void; warn(details: object, message: string): void };
}

/**
 * Runs the console's job in a process of its own. Any node that has the uploaded file may run it. The job continues
 * after a restart or a crash.
 */
export class ImportRunner {
  private readonly runs = new ScheduledRuns(
    () => this.look(),
    (error) => this.deps.logger.warn({ err: error }, 'work on moves from the console failed, retrying'),
  );
  private child: ChildProcess | null = null;

  constructor(private readonly deps: ImportRunnerDeps) {}

  start(): void {
    this.runs.every(tickMilliseconds);
    this.poke();
  }

  /** Stops the process after its current batch. The job continues at the next start of a server. */
  async stop(): Promise<void> {
    const stopped = this.runs.stop();
    this.child?.kill('SIGTERM');
    await stopped;
  }

  /** Looks for a job immediately. */
  poke(): void {
    void this.runs.run();
  }

  private async look(): Promise<void> {
    const { jobs, files, nodeId } = this.deps;
    const job = await jobs.find();
    await files.removeStale(job?.folder ?? '');
    if (!job) return;
    if (job.state !== 'CHECKING' && job.state !== 'MOVING') await jobs.discardUnused();
    else if (await jobs.claim(nodeId, await files.list())) await this.work(job);
    else await jobs.failWithoutFile();
  }

  private async work(job: ImportJob): Promise<void> {
    const { jobs, files, changes, nodeId, logger } = this.deps;
    const isDryRun = job.state === 'CHECKING';
    logger.info({ source: job.sourceName, isDryRun }, 'import: process started');
    const last = await this.execute(this.orderOf(job, isDryRun), isDryRun);
    if (last.kind === 'report') {
      const isDone = await jobs.finish(nodeId, last.report);
      if (isDone && !last.report.isDryRun && !last.report.isBlocked) await files.remove(job.folder);
    } else if (last.kind === 'stopped' || last.kind === 'progress') {
      await jobs.release(nodeId, 0);
    } else if (last.code === 'BUSY') {
      await jobs.release(nodeId, tickMilliseconds / 1000);
    } else {
      await jobs.fail(nodeId, last.code, last.message);
    }
    logger.info({ source: job.sourceName, isDryRun, outcome: last.kind }, 'import: process ended');
    if (!isDryRun) await changes.announce(...changeKinds.map((kind) => ({ kind })));
  }

  private orderOf({ source, choices, folder, sourceName, startedBy }: ImportJob, isDryRun: boolean): JobOrder {
    const { files, databaseUrl, encryptionKey, outboundAllow, clock } = this.deps;
    const address = (text: string | null) => (text === null ? null : parseAddress(text));
    const { connection, logConnection, keysConnection, environment } = source;
    return {
      databaseUrl,
      encryptionKey,
      isDryRun,
      options: {
        source: address(connection) ?? { engine: 'sqlite', path: files.pathOf(folder, sourceName) },
        logSource: choices.logs === 'none' ? null : address(logConnection),
        keysSource: address(keysConnection),
        // A second upload with the same name continues the same run.
        ...(connection === null ? { name: sourceName } : {}),
        environment,
        logs: choices.logs,
        decisions: choices.decisions,
        startedBy,
        outboundAllow,
        now: Math.floor(clock.now() / 1000),
      },
    };
  }

  /** @returns the last message of the process; a failure when it ended without one */
  private async execute(order: JobOrder, isDryRun: boolean): Promise<JobMessage> {
    const [command = process.execPath, ...parameters] = this.deps.program;
    // The process gets no environment of the server: a `config.yaml` may name variables, and database drivers read
    // some.
    const env = { TMPDIR: await this.deps.files.workFolder() };
    const child = spawn(command, parameters, { stdio: ['pipe', 'pipe', 'pipe'], env });
    const ended = once(child, 'close').catch(() => undefined);
    this.child = child;
    if (child.pid !== undefined) lowerPriority(child.pid);
    child.stdin.on('error', () => undefined);
    child.stdin.write(`${JSON.stringify(order)}\n`);
    let errorText = '';
    child.stderr.on('data', (piece: Buffer) => (errorText = (errorText + piece.toString()).slice(-maxErrorText)));
    let [last, progress]: [JobMessage | null, ProgressState | null] = [null, null];
    const watch = this.watch(child, isDryRun, () => progress);
    if (this.runs.isStopped) child.kill('SIGKILL');
    createInterface({ input: child.stdout }).on('line', (line) => {
      last = JSON.parse(line) as JobMessage;
      if (last.kind !== 'progress') return;
      // The process has written users, keys or options, so the caches of every node are outdated.
      if (progress?.step !== last.progress.step) void this.forget();
      ({ progress } = last);
    });
    await ended;
    clearInterval(watch);
    this.child = null;
    await this.deps.files.workFolder();
    const message = last as JobMessage | null;
    if (message && message.kind !== 'progress') return message;
    if (this.runs.isStopped || (await this.isCancelled())) return { kind: 'stopped' };
    const reason = errorText.trim().split('\n').at(-1) ?? '';
    return {
      kind: 'failure',
      code: 'FAILED',
      message: `The process has ended early (${child.signalCode ?? child.exitCode}). ${reason}`,
    };
  }

  /** Renews the lease, stores the progress, and stops the process of a job that was cancelled. */
  private watch(child: ChildProcess, isDryRun: boolean, progress: () => ProgressState | null): NodeJS.Timeout {
    let isStopping = false;
    return setInterval(() => {
      const { jobs, nodeId, logger } = this.deps;
      jobs
        .renew(nodeId, progress())
        .then((isOurs) => {
          if (isOurs || isStopping) return;
          isStopping = true;
          child.kill(isDryRun ? 'SIGKILL' : 'SIGTERM');
          setTimeout(() => child.kill('SIGKILL'), patienceMilliseconds).unref();
        })
        .catch((error: unknown) => logger.warn({ err: error }, 'the progress of the move could not be stored'));
    }, renewMilliseconds);
  }

  private async isCancelled(): Promise<boolean> {
    return (await this.deps.jobs.find())?.state === 'CANCELLED';
  }

  private forget(): Promise<void> {
    return this.deps.changes.announce(...changeKinds.map((kind) => ({ kind })));
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // The process has ended, or the operating system has no priorities.
  }
}
