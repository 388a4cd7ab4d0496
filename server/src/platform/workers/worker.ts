import { PrimaryState } from '../cache/primary-state.js';
import type { SharedState } from '../cache/shared-state.js';
import type { Logger } from '../observability/logger.js';
import type { ToPrimary, ToWorker, WorkerMetrics } from './messages.js';

/** The environment variable in which the primary passes a worker its node id of the ledger. */
export const nodeIdVariable = 'TOLLGATE_WORKER_NODE_ID';

/** A worker's connection to its primary. */
export class Worker {
  private readonly state: PrimaryState;
  private readonly gathering = new Map<number, (metrics: readonly WorkerMetrics[]) => void>();
  private last = 0;
  private measure: () => Promise<WorkerMetrics> = async () => [];

  private stop: () => void = () => undefined;
  private replaced = false;

  /** @param nodeId the node id of this process in the ledger and in leases */
  constructor(
    readonly nodeId: string,
    logger: Logger,
  ) {
    this.state = new PrimaryState(
      (request) => this.send(request),
      (error) => logger.warn({ err: error }, 'shared state subscriber failed'),
    );
    process.on('message', (message: ToWorker) => this.receive(message));
  }

  /** The state that all workers share without Redis. */
  get sharedState(): SharedState {
    return this.state;
  }

  /** Whether this worker stops because another one serves in its place. */
  get isReplaced(): boolean {
    return this.replaced;
  }

  /** Reports to the primary that the server serves calls at `url`. */
  ready(url: string, setupCode: string | null): void {
    this.send({ kind: 'ready', url, setupCode });
  }

  /** Sets the function that ends this process gracefully when the primary requests it. */
  stopBy(stop: () => void): void {
    this.stop = stop;
  }

  /** Sets the function that reads this worker's own metrics when the primary requests them. */
  measureBy(measure: () => Promise<WorkerMetrics>): void {
    this.measure = measure;
  }

  /** @returns the metrics of every worker, this one included */
  gather(): Promise<readonly WorkerMetrics[]> {
    const id = ++this.last;
    return new Promise((resolve) => {
      this.gathering.set(id, resolve);
      this.send({ kind: 'gather', id });
    });
  }

  /** Sends the last metrics. The process may end when the promise resolves. */
  end(): Promise<void> {
    return this.sendMetrics(null);
  }

  private async sendMetrics(id: number | null): Promise<void> {
    const metrics = await this.measure().catch(() => []);
    await new Promise<void>((resolve) => this.send({ kind: 'metrics', id, metrics }, resolve));
  }

  private receive(message: ToWorker): void {
    switch (message.kind) {
      case 'stop':
        this.replaced = message.isReplaced;
        return this.stop();
      case 'measure':
        return void this.sendMetrics(message.id);
      case 'gathered':
        this.gathering.get(message.id)?.(message.metrics);
        this.gathering.delete(message.id);
        return;
      default:
        return this.state.receive(message);
    }
  }

  /** @param done called when the message is sent, or cannot be sent */
  private send(message: ToPrimary, done: () => void = () => undefined): void {
    // Node ends a worker when its primary has ended.
    if (process.connected) process.send?.(message, undefined, undefined, done);
    else done();
  }
}
