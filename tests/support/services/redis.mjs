import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findProgram, freePort, startProgram } from './processes.mjs';

/** @typedef {import('./processes.mjs').Service} Service */

/**
 * A Redis: the one of TEST_REDIS_URL, one in a container, or `redis-server` on a free port, in this order.
 * @returns {Promise<Service | null>} null: there is none, tests use the in-process store
 */
export async function findRedis() {
  const given = process.env.TEST_REDIS_URL;
  if (given) return { url: given, description: 'TEST_REDIS_URL', stop: async () => {} };
  return (await inContainer()) ?? (await startRedis());
}

/** @returns {Promise<Service | null>} */
async function inContainer() {
  const { GenericContainer, getContainerRuntimeClient } = await import('testcontainers');
  try {
    await getContainerRuntimeClient();
  } catch {
    return null; // No container engine answers here.
  }
  const container = await new GenericContainer('redis:7-alpine').withExposedPorts(6379).start();
  return {
    url: `redis://${container.getHost()}:${container.getMappedPort(6379)}`,
    description: 'redis:7-alpine in a container',
    stop: async () => void (await container.stop()),
  };
}

/** @returns {string | null} */
export const findRedisServer = () => findProgram(['redis-server'], ['/usr/sbin', '/opt/homebrew/bin']);

/**
 * Starts `redis-server` on a free port, keeping nothing on disk.
 * @param {{ port?: number, args?: string[] }} [options]
 * @returns {Promise<Service | null>} null when the program is not installed
 */
export async function startRedis({ port, args = [] } = {}) {
  const program = findRedisServer();
  if (!program) return null;
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-redis-'));
  const chosen = port ?? (await freePort());
  const url = `redis://127.0.0.1:${chosen}`;
  const stopServer = await startProgram(
    program,
    ['--port', String(chosen), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder, ...args],
    { ready: () => answers(url) },
  );
  return {
    url,
    description: `found on this machine (${program})`,
    stop: async () => {
      await stopServer();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** @param {string} url */
async function answers(url) {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.ping()) === 'PONG';
  } finally {
    client.disconnect();
  }
}
