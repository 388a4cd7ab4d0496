import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { models } from '../load.js';
import { freePort, launch, ready, type Peer } from './peer.js';

export const bifrost = (program: string): Peer => ({
  name: 'Bifrost',
  leavesOut: 'keys of users, charges, log',
  async start(place) {
    const { folder, upstream } = place;
    const config = {
      client: { enable_logging: false, drop_excess_requests: false },
      providers: {
        openai: {
          keys: [{ name: 'benchmark', value: 'sk-upstream', models: [models.openai], weight: 1 }],
          network_config: { base_url: upstream },
        },
      },
      config_store: { enabled: false },
    };
    await writeFile(join(folder, 'config.json'), JSON.stringify(config));
    const port = await freePort();
    const child = launch(place, [program, '-app-dir', folder, '-host', '127.0.0.1', '-port', String(port)]);
    return ready('Bifrost', child, { port, key: 'none', modelPrefix: 'openai/' });
  },
});
