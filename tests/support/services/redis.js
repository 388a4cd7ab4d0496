import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findProgram, freePort, startProgram } from './processes.js';
/**
 * A Redis: the one of TEST_REDIS_URL, one in a container, or `redis-server` on a free port; null when there is none.
 */
export async function findRedis() {
    const given = process.env.TEST_REDIS_URL;
    if (given)
        return { url: given, description: 'TEST_REDIS_URL', stop: () => Promise.resolve() };
    return (await inContainer()) ?? (findRedisServer() ? startRedis() : null);
}
async function inContainer() {
    const { GenericContainer, getContainerRuntimeClient } = await import('testcontainers');
    try {
        await getContainerRuntimeClient();
    }
    catch {
        return null; // No container engine answers here.
    }
    const container = await new GenericContainer('redis:7-alpine').withExposedPorts(6379).start();
    return {
        url: `redis://${container.getHost()}:${container.getMappedPort(6379)}`,
        description: 'redis:7-alpine in a container',
        stop: async () => {
            await container.stop();
        },
    };
}
export const findRedisServer = () => findProgram(['redis-server'], ['/usr/sbin', '/opt/homebrew/bin']);
/** Starts `redis-server` without persistence, on a free port unless one is given. */
export async function startRedis(options = {}) {
    const program = findRedisServer();
    if (!program)
        throw new Error('redis-server is not installed');
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-redis-'));
    const port = options.port ?? (await freePort());
    const url = `redis://127.0.0.1:${port}`;
    const fixed = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
    const stopServer = await startProgram(program, [...fixed, ...(options.args ?? [])], { ready: () => answers(url) });
    return {
        url,
        description: `found on this machine (${program})`,
        stop: async () => {
            await stopServer();
            await rm(folder, { recursive: true, force: true });
        },
    };
}
async function answers(url) {
    const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
    client.on('error', () => undefined);
    try {
        await client.connect();
        return (await client.ping()) === 'PONG';
    }
    finally {
        client.disconnect();
    }
}
