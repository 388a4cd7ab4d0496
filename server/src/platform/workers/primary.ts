import cluster, { type Worker as Process } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { StateHost } from '../cache/state-host.js';
import type { StateRequest } from '../cache/state-messages.js';
import type { Logger } from '../observability/logger.js';
import { closeUnconfirmed } from './close-unconfirmed.js';
import { Gathering } from './gathering.js';
import type { ToPrimary, ToWorker } from './messages.js';
import { nodeIdVariable } from './worker.js';

export interface PrimaryDeps {
  /** Number of workers that serve calls. */
  readonly count: number;
  /** Environment variables of workers that differ from this process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Makes other nodes return the reservations of a dead worker immediately. */
  readonly forget: (nodeId: string) => Promise<void>;
  readonly logger: Logger;
}

/** Sent by a worker that serves calls. */
export interface Ready {
  readonly url: string;
  readonly setupCode: string | null;
}

interface Member {
  readonly process: Process;
  readonly nodeId: string;
  readonly startedAt: number;
  readonly guest: { receive(request: StateRequest): void; leave(): void };
  isReady: boolean;
  /** Whether the worker was asked to end, so that it needs no replacement. */
  isLeaving: boolean;
  /** Whether a rolling restart is starting another worker in its place, so that it needs no further replacement. */
  hasSuccessor: boolean;
  readonly ended: Promise<void>;
}

/** A worker ended before it served calls. It has logged the reason. */
export class WorkerEndedError extends Error {
  constructor(reason: string | number) {
    super(`worker ended with ${reason} before it served calls`);
    this.name = 'WorkerEndedError';
  }
}

/** Minimum lifetime in milliseconds. A worker that ends sooner is replaced after a pause that grows. */
const soundLife = 10_000;
const pauses = { first: 1000, longest: 30_000 };

/**
 * Runs the server in several processes that accept connections of one port in turn. Stores their shared state if there
 * is no Redis, and replaces workers that end. The primary serves no call itself.
 */
export class Primary {
  private readonly members = new Set<Member>();
  private readonly host: StateHost;
  private readonly gathering = new Gathering();
  private isStopping = false;
  private restarting: Promise<void> | null = null;
  /** Number of consecutive workers that ended too soon. */
  private failures = 0;
  private readonly pausing = new Set<() => void>();

  constructor(private readonly deps: PrimaryDeps) {
    this.host = new StateHost((error) => deps.logger.warn({ err: error }, 'message to a worker failed'));
  }

  /**
   * Starts the first worker, then all others.
   * @throws WorkerEndedError when the first worker does not start
   */
  async start(): Promise<Ready> {
    const ready = await this.launch();
    const rest = Array.from({ length: this.deps.count - 1 }, () => this.launch());
    for (const one of await Promise.allSettled(rest)) if (one.status === 'rejected') void this.replace();
    return ready;
  }

  /** Ends all workers gracefully. */
  async stop(): Promise<void> {
    this.isStopping = true;
    for (const end of this.pausing) end();
    await Promise.all([...this.members].map((member) => this.dismiss(member)));
  }

  /**
   * Replaces one worker after the other. Each worker serves its calls to the end after its successor has begun to
   * serve.
   */
  restart(): Promise<void> {
    this.restarting ??= this.restartAll().finally(() => (this.restarting = null));
    return this.restarting;
  }

  private async restartAll(): Promise<void> {
    const { logger } = this.deps;
    for (const member of [...this.members]) {
      if (this.isStopping) return;
      // A worker that has ended was already replaced, perhaps by one that is still starting.
      if (!this.members.has(member) || !member.isReady) continue;
      member.hasSuccessor = true;
      try {
        await this.launch();
      } catch (error) {
        logger.error({ err: error }, 'rolling restart stopped: a new worker does not start');
        member.hasSuccessor = false;
        if (!this.members.has(member)) void this.replace(member);
        return;
      }
      await this.dismiss(member);
    }
    logger.info('rolling restart completed');
  }

  /** @returns when the worker serves calls. @throws WorkerEndedError */
  private launch(): Promise<Ready> {
    const nodeId = randomUUID();
    const worker = cluster.fork({ ...this.deps.environment, [nodeIdVariable]: nodeId });
    closeUnconfirmed(worker);
    const send = (message: ToWorker): void => {
      if (worker.isConnected()) worker.send(message, () => undefined);
    };
    return new Promise((resolve, reject) => {
      const ended = new Promise<void>((end) => {
        worker.once('exit', (code, signal) => {
          this.remove(member, signal || code);
          reject(new WorkerEndedError(signal || code));
          end();
        });
      });
      const member: Member = {
        process: worker,
        nodeId,
        ended,
        startedAt: performance.now(),
        isReady: false,
        isLeaving: false,
        hasSuccessor: false,
        guest: this.host.connect(send),
      };
      worker.on('message', (message: ToPrimary) => {
        if (message.kind === 'ready') {
          member.isReady = true;
          this.deps.logger.info({ worker: worker.id, pid: worker.process.pid }, 'worker serves calls');
          resolve(message);
        } else this.receive(member, message, send);
      });
      worker.once('exit', () => {
        if (member.isReady && !member.isLeaving && !member.hasSuccessor && !this.isStopping) void this.replace(member);
      });
      this.members.add(member);
    });
  }

  private receive(
    member: Member,
    message: Exclude<ToPrimary, { kind: 'ready' }>,
    send: (message: ToWorker) => void,
  ): void {
    if (message.kind === 'metrics') this.gathering.receive(member, message.id, message.metrics);
    else if (message.kind === 'gather') {
      const { id } = message;
      const ask = ({ process }: Member, question: number): void => {
        if (process.isConnected()) process.send({ kind: 'measure', id: question } satisfies ToWorker, () => undefined);
      };
      // A worker that still loads its modules would not respond.
      const serving = [...this.members].filter(({ isReady }) => isReady);
      void this.gathering.from(serving, ask).then((metrics) => send({ kind: 'gathered', id, metrics }));
    } else member.guest.receive(message);
  }

  private remove(member: Member, reason: string | number): void {
    const { process, nodeId, guest, isLeaving } = member;
    this.members.delete(member);
    this.gathering.end(member);
    guest.leave();
    if (isLeaving || this.isStopping) return;
    this.deps.logger.error({ worker: process.id, pid: process.process.pid, reason }, 'worker ended unexpectedly');
    void this.deps.forget(nodeId).catch((error: unknown) => {
      // The other nodes detect the dead worker when its heartbeats are missing.
      this.deps.logger.warn({ err: error }, 'the node of a dead worker could not be removed');
    });
  }

  /** Starts a worker in place of one that ended, and retries until one serves calls. */
  private async replace(dead?: Member): Promise<void> {
    if (dead && performance.now() - dead.startedAt > soundLife) this.failures = 0;
    else this.failures++;
    while (!this.isStopping) {
      if (this.failures > 0) await this.pause(Math.min(pauses.longest, pauses.first * 2 ** (this.failures - 1)));
      if (this.isStopping) return;
      try {
        await this.launch();
        return;
      } catch {
        this.failures++;
      }
    }
  }

  private async dismiss(member: Member): Promise<void> {
    member.isLeaving = true;
    const { process, isReady, hasSuccessor, ended } = member;
    // While it loads its modules, a worker reads no messages, and a signal ends it immediately.
    if (!isReady) process.process.kill('SIGTERM');
    else if (process.isConnected()) {
      process.send({ kind: 'stop', isReplaced: hasSuccessor && !this.isStopping } satisfies ToWorker, () => undefined);
    }
    await ended;
  }

  /** Waits. The pause ends early when all workers are stopped. */
  private pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.pausing.delete(end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      this.pausing.add(end);
    });
  }
}
