import type { WorkerMetrics } from './messages.js';

/** A worker that is busy or ends must not hold up a scrape. Milliseconds. */
const patience = 2000;

/** Collects what several workers send for one request. */
export class Gathering {
  private readonly open = new Map<
    number,
    { readonly left: Set<object>; readonly add: (metrics: WorkerMetrics) => void }
  >();
  private last = 0;

  /**
   * @param workers those that are asked
   * @param ask sends the request with its id to one of them
   * @returns what workers sent within two seconds
   */
  from<Member extends object>(
    workers: readonly Member[],
    ask: (worker: Member, id: number) => void,
  ): Promise<readonly WorkerMetrics[]> {
    const id = ++this.last;
    return new Promise((resolve) => {
      const found: WorkerMetrics[] = [];
      const finish = (): void => {
        clearTimeout(timer);
        this.open.delete(id);
        resolve(found);
      };
      const timer = setTimeout(finish, patience);
      const left = new Set<object>(workers);
      this.open.set(id, {
        left,
        add: (metrics) => {
          found.push(metrics);
          if (left.size === 0) finish();
        },
      });
      for (const worker of workers) ask(worker, id);
    });
  }

  receive(worker: object, id: number, metrics: WorkerMetrics): void {
    const question = this.open.get(id);
    if (question?.left.delete(worker)) question.add(metrics);
  }
}
