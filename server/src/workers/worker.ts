import { PrimaryState } from '../cache/primary-state.js';
import type { SharedState } from '../cache/shared-state.js';
import type { Logger } from '../observability/logger.js';
import type { ToPrimary, ToWorker, WorkerMetrics } from './messages.js';

/** The variable in which the primary gives a worker its id in the ledger. */
export const nodeIdVariable = 'TOLLGATE_WORKER_NODE_ID';

/** A worker's connection to its primary. */
export class Worker {
  private readonly state: PrimaryState;
  private readonly gathering = new Map<number, (metrics: readonly WorkerMetrics[]) => void>();
  private last = 0;
  private measure: () => Promise<WorkerMetrics> = async () => [];

  private stop: () => void = () => undefined;

  /** @param nodeId the node of the ledger and of leases that this process is */
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

  /** The server serves calls at `url`. */
  ready(url: string, setupCode: string | null): void {
    this.send({ kind: 'ready', url, setupCode });
  }

  /** Sets how this process ends gracefully when the primary requests it. */
  stopBy(stop: () => void): void {
    this.stop = stop;
  }

  /** Sets how this worker reads its own metrics when the primary asks. */
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

  private receive(message: ToWorker): void {
    switch (message.kind) {
      case 'stop':
        return this.stop();
      case 'measure':
        void this.measure()
          .catch(() => [])
          .then((metrics) => this.send({ kind: 'metrics', id: message.id, metrics }));
        return;
      case 'gathered':
        this.gathering.get(message.id)?.(message.metrics);
        this.gathering.delete(message.id);
        return;
      default:
        return this.state.receive(message);
    }
  }

  private send(message: ToPrimary): void {
    // Node ends a worker whose primary is gone.
    if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
  }
}
