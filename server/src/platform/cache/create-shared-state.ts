import type { Config } from '../config.js';
import { MemoryState } from './memory-state.js';
import { ResilientState } from './resilient-state.js';
import type { SharedState } from './shared-state.js';

/** Receives reports of problems of the state: a logger and a gauge. */
export interface StateObserver {
  readonly logger: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
  /** Set to 1 while the store is unavailable and this node counts alone. */
  readonly degraded: { set(value: number): void };
}

/**
 * Creates the configured state: in this process, or in Redis with this process as fallback. An unavailable Redis does
 * not prevent the start.
 * @throws ConfigError when Redis refuses the user, the password or the database of its URL
 */
export async function createSharedState(redis: Config['redis'], observer: StateObserver): Promise<SharedState> {
  const { logger, degraded } = observer;
  const handlerFailed = (error: unknown): void => logger.warn({ err: error }, 'shared state subscriber failed');
  degraded.set(0);
  if (!redis) return new MemoryState(handlerFailed);

  const { RedisState } = await import('./redis-state.js');
  const report = sparingly((error) => logger.warn({ err: error }, 'shared state connection'));
  const store = new RedisState(redis, report);
  const state = new ResilientState(store, new MemoryState(handlerFailed), {
    onUnavailable: (error) => {
      degraded.set(1);
      logger.warn({ err: error }, 'Redis is unavailable: this node uses its own memory');
    },
    onBack: () => {
      degraded.set(0);
      logger.info({}, 'Redis is available again');
    },
  });
  try {
    await store.connect();
  } catch (error) {
    await state.close();
    throw error;
  }
  await state.ping();
  return state;
}

const repeatMilliseconds = 60_000;

/** Limits reports: connections are retried several times a second, and the same failure is reported once a minute. */
function sparingly(report: (error: unknown) => void): (error: unknown) => void {
  const reported = new Map<string, number>();
  return (error) => {
    const now = performance.now();
    for (const [text, at] of reported) if (now - at > repeatMilliseconds) reported.delete(text);
    const text = String(error);
    if (reported.has(text)) return;
    reported.set(text, now);
    report(error);
  };
}
