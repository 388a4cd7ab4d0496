import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { Config } from '../config.js';
import { redisScripts, type ScriptCommands } from './redis-scripts.js';

export type RedisConfig = NonNullable<Config['redis']>;

/** Milliseconds. Longer than any healthy response; a hanging Redis delays a call once. */
const commandTimeout = 1000;
const connectTimeout = 2000;

export interface RedisClients {
  readonly commands: (Redis | Cluster) & ScriptCommands;
  /** For subscriptions only, because a subscribed connection takes no other command. The Cluster client has its own. */
  readonly subscriber: Redis | Cluster;
}

/**
 * Clients for one server, Sentinel or Cluster. They connect on request, and fail at once while they are not connected.
 */
export function createRedisClients(config: RedisConfig): RedisClients {
  const commands = config.kind === 'cluster' ? clusterClient(config) : singleClient(config);
  for (const [name, definition] of Object.entries(redisScripts)) commands.defineCommand(name, definition);
  const subscriber =
    commands instanceof Redis
      ? // Subscriptions wait for the connection and are renewed by it; only commands have to fail fast.
        commands.duplicate({ enableOfflineQueue: true, maxRetriesPerRequest: null, commandTimeout: undefined })
      : commands;
  return { commands: commands as RedisClients['commands'], subscriber };
}

const failFast = {
  lazyConnect: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  commandTimeout,
  connectTimeout,
  retryStrategy: backOff,
} satisfies RedisOptions;

function singleClient(config: Exclude<RedisConfig, { kind: 'cluster' }>): Redis {
  if (config.kind === 'single') return new Redis(config.url, failFast);
  return new Redis({
    ...failFast,
    ...credentials(config.url),
    sentinels: config.sentinels.map(address),
    name: config.name,
    sentinelRetryStrategy: backOff,
  });
}

function clusterClient(config: Extract<RedisConfig, { kind: 'cluster' }>): Cluster {
  const shared = credentials(config.url);
  return new Cluster(config.nodes.map(address), {
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: backOff,
    slotsRefreshTimeout: connectTimeout,
    // A moved slot is followed at once; a lost node must not delay a call.
    maxRedirections: 8,
    retryDelayOnFailover: 50,
    retryDelayOnClusterDown: 50,
    // Certificates are issued for names, so names are not resolved to addresses.
    ...(shared.tls ? { dnsLookup: (name: string, done: (error: null, ip: string) => void) => done(null, name) } : {}),
    redisOptions: { maxRetriesPerRequest: 1, commandTimeout, connectTimeout, ...shared },
  });
}

function backOff(times: number): number {
  return Math.min(times * 50, 1000);
}

/** Credentials and database of a URL. */
function credentials(url: string | undefined): Pick<RedisOptions, 'username' | 'password' | 'db' | 'tls'> {
  if (!url) return {};
  const { protocol, username, password, pathname } = new URL(url);
  const db = Number(pathname.slice(1));
  return {
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
    ...(db > 0 ? { db } : {}),
    ...(protocol === 'rediss:' ? { tls: {} } : {}),
  };
}

/** `host`, `host:port` or `[v6]:port`. */
function address(text: string): { host: string; port: number } {
  const { hostname, port } = new URL(`redis://${text}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 6379 };
}
