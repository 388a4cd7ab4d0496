import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, launch, ready, run, type Peer } from './peer.js';

const version = '1.15.2';
/** Later versions, which Portkey's range allows too, answer each stream with an error: Portkey changes headers that are immutable there. */
const httpServer = '@hono/node-server@1.13.8';

export const portkey: Peer = {
  name: `Portkey ${version}`,
  leavesOut: 'keys, users, prices, charges, log',
  async start(place) {
    const { folder, upstream } = place;
    await writeFile(join(folder, 'package.json'), '{"private":true}');
    // The peer dependency of another package asks for a later version of the server.
    const flags = ['--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'];
    await run('npm', ['install', ...flags, `@portkey-ai/gateway@${version}`, httpServer], { cwd: folder });
    const port = await freePort();
    const script = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
    const child = launch(place, [process.execPath, script, '--headless', `--port=${port}`]);
    const headers = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${upstream}/v1` };
    return ready('Portkey', child, { port, key: 'sk-upstream', headers });
  },
};
