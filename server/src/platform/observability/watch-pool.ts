import type pg from 'pg';
import type { Metrics } from './metrics.js';

type Connect = (callback?: (...answer: unknown[]) => void) => unknown;

/** Measures how long callers wait for a connection, and shows the pool's counts at each scrape. */
export function watchPool(pool: pg.Pool, name: string, metrics: Metrics): void {
  const connect = pool.connect.bind(pool) as Connect;
  // `pool.query` goes through `connect` too, with a callback.
  const measured: Connect = (callback) => {
    const stop = metrics.poolWait.startTimer({ pool: name });
    if (callback) {
      return connect((...answer) => {
        stop();
        callback(...answer);
      });
    }
    return (connect() as Promise<unknown>).finally(() => stop());
  };
  pool.connect = measured as typeof pool.connect;

  const sample = (): void => {
    metrics.poolConnections.set({ pool: name, state: 'total' }, pool.totalCount);
    metrics.poolConnections.set({ pool: name, state: 'idle' }, pool.idleCount);
    metrics.poolConnections.set({ pool: name, state: 'waiting' }, pool.waitingCount);
  };
  metrics.beforeScrape(sample);
}
