import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { findPostgres } from '../support/services/postgres.js';
import { findProgram, type Service } from '../support/services/processes.js';
import { findRedis } from '../support/services/redis.js';
import { startFastUpstream, type FastUpstream } from '../support/upstream/fast.js';
import { loadCore } from './gateway.js';

type Stop = () => Promise<unknown>;

export interface Services {
  readonly postgres: Service;
  /** Null on a machine without Redis. */
  readonly redis: Service | null;
  readonly upstream: FastUpstream;
  /** Ends further processes, the last one first, before the services. */
  readonly stops: Stop[];
}

/**
 * Moves this process, which sends the load, to its own core, and runs a benchmark with the services that it needs.
 * @param eventCount events of a streamed response
 */
export async function withServices(
  eventCount: number,
  run: (services: Services) => Promise<void>,
  slow = { eventCount: 1, gapMilliseconds: 1000 },
): Promise<void> {
  const taskset = findProgram(['taskset']);
  if (taskset && cpus().length > 1)
    execFileSync(taskset, ['-a', '-cp', String(loadCore), String(process.pid)], { stdio: 'ignore' });
  const stops: Stop[] = [];
  try {
    const postgres = await findPostgres({ durable: true });
    stops.push(() => postgres.stop());
    const redis = await findRedis();
    stops.push(async () => redis?.stop());
    const upstream = await startFastUpstream({ eventCount, slow });
    stops.push(() => upstream.stop());
    await run({ postgres, redis, upstream, stops });
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}
