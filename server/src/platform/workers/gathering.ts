import { AggregatorRegistry } from 'prom-client';
import type { WorkerMetrics } from './messages.js';

/** Milliseconds to wait. A worker that is busy or ends must not delay a scrape. */
const patience = 2000;

interface Question {
  readonly left: Set<object>;
  readonly finish: () => void;
}

/**
 * Collects the metrics of several workers. Counts of workers that ended, or that do not respond in time, stay in the
 * sum: Prometheus takes a counter that falls for one that restarted at zero, and would count the rest of the sum again.
 */
export class Gathering {
  private readonly open = new Map<number, Question>();
  private readonly latest = new Map<object, WorkerMetrics>();
  /** Counts of all workers that ended. */
  private ended: Promise<WorkerMetrics> = Promise.resolve([]);
  private last = 0;

  /**
   * @param workers the workers to ask
   * @param ask sends the request with its id to one of them
   * @returns the last metrics of every worker, after at most two seconds
   */
  from<Member extends object>(
    workers: readonly Member[],
    ask: (worker: Member, id: number) => void,
  ): Promise<readonly WorkerMetrics[]> {
    const id = ++this.last;
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        this.open.delete(id);
        const latest = [...this.latest.values()];
        resolve(this.ended.then((ended) => [ended, ...latest]));
      };
      const timer = setTimeout(finish, patience);
      this.open.set(id, { left: new Set<object>(workers), finish });
      for (const worker of workers) ask(worker, id);
    });
  }

  /** @param id the id of the request; null if the worker sent the metrics without one */
  receive(worker: object, id: number | null, metrics: WorkerMetrics): void {
    this.latest.set(worker, metrics);
    if (id !== null) this.settle(this.open.get(id), worker);
  }

  /** Removes a worker that has ended. */
  end(worker: object): void {
    const last = this.latest.get(worker) ?? [];
    this.latest.delete(worker);
    // The library's type has numbers where its objects have names.
    const counts = last.filter(({ type }) => String(type) !== 'gauge');
    this.ended = this.ended.then((ended) => AggregatorRegistry.aggregate([ended, counts]).getMetricsAsJSON());
    for (const question of this.open.values()) this.settle(question, worker);
  }

  private settle(question: Question | undefined, worker: object): void {
    if (question?.left.delete(worker) && question.left.size === 0) question.finish();
  }
}
