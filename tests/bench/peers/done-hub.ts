import { join } from 'node:path';
import { restOf } from '../gateway.js';
import { models } from '../load.js';
import { freePort, launch, ready, type Peer } from './peer.js';

/** done-hub starts with a root user of this password, without a setup. */
const root = { username: 'root', password: '123456' };

export const doneHub = (program: string): Peer => ({
  name: 'done-hub',
  leavesOut: 'counting the tokens of prompts, which it estimates. In SQLite, without batched updates',
  async start(place) {
    const { folder, upstream } = place;
    const port = await freePort();
    const environment = {
      PORT: String(port),
      SQLITE_PATH: join(folder, 'done-hub.db'),
      LOG_DIR: join(folder, 'logs'),
      SESSION_SECRET: 'benchmark',
      USER_TOKEN_SECRET: 'benchmark-of-the-secret-that-signs-tokens',
      // It would download the tables of its tokenizer at every start.
      DISABLE_TOKEN_ENCODERS: 'true',
    };
    const child = launch(place, [program], environment);
    const running = await ready('done-hub', child, { port, key: '' }, '/api/status');
    return { ...running, key: await setUp(running.url, upstream) };
  },
});

interface Page<Item> {
  readonly data: readonly Item[];
}

/** Its REST API is that of one-hub: a channel is not wrapped, and the quota of a user has a path of its own. */
async function setUp(url: string, upstream: string): Promise<string> {
  const { rest, signIn } = restOf(url);
  const userId = await signIn(root);
  await rest('POST', `/api/user/quota/${userId}`, { quota: 8_000_000_000_000 });
  const groups = (await rest('GET', '/api/user_group/?page=1&size=10')) as Page<{ symbol: string }>;
  // The limit of a group is 600 calls a minute.
  const group = groups.data.find(({ symbol }) => symbol === 'default');
  await rest('PUT', '/api/user_group/', { ...group, api_rate: 60_000_000 });
  const channel = { type: 1, name: 'chat', key: 'sk-upstream', base_url: upstream, models: models.openai };
  await rest('POST', '/api/channel/', { ...channel, group: 'default' });
  await rest('POST', '/api/token/', { name: 'bench', unlimited_quota: true, expired_time: -1, group: 'default' });
  const tokens = (await rest('GET', '/api/token/?page=1&size=10')) as Page<{ key: string }>;
  return `sk-${tokens.data[0]?.key ?? ''}`;
}
