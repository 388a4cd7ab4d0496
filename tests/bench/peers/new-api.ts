import { join } from 'node:path';
import { setUp } from '../gateway.js';
import { freePort, launch, ready, type Peer } from './peer.js';

/** new-api's REST API is the one that Tollgate has too. */
export const newApi = (program: string): Peer => ({
  name: 'new-api',
  leavesOut: 'nothing. In SQLite, without batched updates',
  async start(place) {
    const { folder, upstream } = place;
    const port = await freePort();
    const environment = { PORT: String(port), SQLITE_PATH: join(folder, 'new-api.db'), SESSION_SECRET: 'benchmark' };
    const child = launch(place, [program, '--log-dir', folder], environment);
    const running = await ready('new-api', child, { port, key: '' }, '/api/status');
    return { ...running, key: await setUp(running.url, upstream) };
  },
});
