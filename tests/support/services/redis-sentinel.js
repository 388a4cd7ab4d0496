import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort, startProgram } from './processes.js';
import { findRedisServer, startRedis } from './redis.js';
/** One master and one Sentinel that monitors it. */
export async function startRedisSentinel() {
    const master = await startRedis();
    const port = await freePort();
    const name = 'mymaster';
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-sentinel-'));
    const settings = join(folder, 'sentinel.conf');
    const lines = [`port ${port}`, 'bind 127.0.0.1', `sentinel monitor ${name} 127.0.0.1 ${new URL(master.url).port} 1`];
    await writeFile(settings, `${lines.join('\n')}\n`);
    const stop = await startProgram(findRedisServer() ?? '', [settings, '--sentinel'], {
        ready: () => knowsMaster(port, name),
    });
    return {
        sentinels: [`127.0.0.1:${port}`],
        name,
        stop: async () => {
            await stop();
            await master.stop();
            await rm(folder, { recursive: true, force: true });
        },
    };
}
async function knowsMaster(port, name) {
    const client = new Redis({ port, lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
    client.on('error', () => undefined);
    try {
        await client.connect();
        return (await client.call('SENTINEL', 'get-master-addr-by-name', name)) !== null;
    }
    finally {
        client.disconnect();
    }
}
