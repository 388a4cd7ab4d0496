import type { Config } from '../config.js';
import { MemoryState } from './memory-state.js';
import { RedisState } from './redis-state.js';
import { ResilientState } from './resilient-state.js';
import type { SharedState } from './shared-state.js';

/** What the state tells its surroundings; a pino logger and a gauge fit. */
export interface StateObserver {
  readonly logger: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
  /** 1 while the store is away and this node counts alone. */
  readonly degraded: { set(value: number): void };
}

/**
 * The state the configuration asks for: in this process without Redis, else in Redis with this process as its stand-in.
 * A Redis that is away at the start is no reason not to start.
 */
export async function createSharedState(redis: Config['redis'], observer: StateObserver): Promise<SharedState> {
  const { logger, degraded } = observer;
  const handlerFailed = (error: unknown): void =>
    logger.warn({ err: error }, 'a subscriber of the shared state failed');
  degraded.set(0);
  if (!redis) return new MemoryState(handlerFailed);

  const store = new RedisState(redis, (error) => logger.warn({ err: error }, 'shared state connection'));
  const state = new ResilientState(store, new MemoryState(handlerFailed), {
    onAway: (error) => {
      degraded.set(1);
      logger.warn({ err: error }, 'Redis is away: this node counts and remembers alone');
    },
    onBack: () => {
      degraded.set(0);
      logger.info({}, 'Redis is back');
    },
  });
  await store.connect();
  await state.ping();
  return state;
}
