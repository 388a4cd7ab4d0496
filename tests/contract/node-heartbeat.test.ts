import { until } from '../faults/traffic.js';
import { startServer, type LocalServer } from '../support/server.js';

let server: LocalServer;
beforeAll(async () => {
  server = await startServer({ environment: { NODE_HEARTBEAT_INTERVAL: '1', NODE_DEAD_AFTER: '2' } });
});
afterAll(() => server.stop());

it('comes as often as NODE_HEARTBEAT_INTERVAL says: a node that sends fewer is taken for dead', async () => {
  const seconds = new Set<number>();
  const isOften = async (): Promise<boolean> => {
    const [node] = await server.dataSource.query<Array<{ at: string }>>(
      'SELECT extract(epoch FROM heartbeat_at)::text AS at FROM nodes',
    );
    seconds.add(Number(node?.at));
    // One short pause is enough, because the machine may be busy during the others.
    return [...seconds].some((at, index, all) => index > 0 && at - (all[index - 1] ?? 0) < 4);
  };
  await until(isOften, 30, 'two heartbeats follow each other');
});
