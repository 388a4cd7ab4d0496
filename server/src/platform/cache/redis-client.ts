import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { Config } from '../config.js';

/**
 * Atomic operations inside Redis. Every script touches a single key, so it runs unchanged on a Cluster. A script that
 * needs two keys must give them a common hash tag (`{...}`).
 */
const redisScripts = {
  /** Adds to a counter. ARGV: amount, lifetime in ms. The lifetime starts with the first addition. */
  tollgateIncrement: {
    numberOfKeys: 1,
    lua: `
      local sum = redis.call('INCRBY', KEYS[1], ARGV[1])
      if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
      return sum`,
  },
  /**
   * A sliding log, newest first. ARGV: limit, window in ms, 1 to record. Returns the milliseconds to wait, 0 when
   * allowed. Uses Redis' own clock, so nodes with different clocks agree.
   */
  tollgateHit: {
    numberOfKeys: 1,
    lua: `
      local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
      local time = redis.call('TIME')
      local now = time[1] * 1000 + math.floor(time[2] / 1000)
      local oldest = redis.call('LINDEX', KEYS[1], limit - 1)
      if oldest then
        local wait = tonumber(oldest) + window - now
        if wait > 0 then return wait end
      end
      if ARGV[3] == '1' then
        redis.call('LPUSH', KEYS[1], string.format('%.0f', now))
        redis.call('LTRIM', KEYS[1], 0, limit - 1)
        redis.call('PEXPIRE', KEYS[1], window)
      end
      return 0`,
  },
  /**
   * A count of the last seconds in the form of `SlidingCount`: a hash with a number for each second, their sum, and the
   * first and last second. ARGV: second, window, amount, limit, 1 if an amount above the limit may be alone. Returns 1
   * if the amount was added, the sum, the second, and the second from which it fits.
   */
  tollgateCount: {
    numberOfKeys: 1,
    lua: `
      local now, window, amount, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
      local head = redis.call('HMGET', KEYS[1], 'sum', 'first', 'last')
      local sum, first, last = tonumber(head[1]) or 0, tonumber(head[2]) or now, tonumber(head[3]) or now
      if math.abs(now - last) > window then
        redis.call('DEL', KEYS[1])
        sum, first, last = 0, now, now
      end
      local changed = false
      if first < now - window then
        local old = {}
        for at = first, now - window - 1 do old[#old + 1] = string.format('%.0f', at) end
        for _, value in ipairs(redis.call('HMGET', KEYS[1], unpack(old))) do sum = sum - (tonumber(value) or 0) end
        redis.call('HDEL', KEYS[1], unpack(old))
        first = now - window
        changed = true
      end
      local function fits(rest) return rest + amount <= limit or (ARGV[5] == '1' and rest <= 0 and limit > 0) end
      local admitted, freeAt = amount <= 0 or fits(sum), 0
      if admitted then
        last = math.max(now, last)
        if amount ~= 0 then
          redis.call('HINCRBY', KEYS[1], string.format('%.0f', last), ARGV[3])
          sum = sum + amount
          changed = true
        end
      else
        freeAt = now + window + 1
        local seconds, rest = {}, sum
        for at = first, last do seconds[#seconds + 1] = string.format('%.0f', at) end
        for at, value in ipairs(redis.call('HMGET', KEYS[1], unpack(seconds))) do
          rest = rest - (tonumber(value) or 0)
          if fits(rest) then
            freeAt = first + at + window
            break
          end
        end
      end
      if changed then
        redis.call('HSET', KEYS[1], 'sum', string.format('%.0f', sum), 'first', string.format('%.0f', first),
          'last', string.format('%.0f', last))
        redis.call('EXPIRE', KEYS[1], 2 * window)
      end
      return { admitted and 1 or 0, sum, last, freeAt }`,
  },
  /** Changes the amount that a claim added. ARGV: second, amount. */
  tollgateRecount: {
    numberOfKeys: 1,
    lua: `
      local head = redis.call('HMGET', KEYS[1], 'first', 'last')
      local second = tonumber(ARGV[1])
      if not head[1] or second < tonumber(head[1]) or second > tonumber(head[2]) then return 0 end
      redis.call('HINCRBY', KEYS[1], ARGV[1], ARGV[2])
      redis.call('HINCRBY', KEYS[1], 'sum', ARGV[2])
      return 1`,
  },
  /** Takes or extends a lease. ARGV: owner, lifetime in ms. Returns 1 while the owner holds the lease. */
  tollgateLease: {
    numberOfKeys: 1,
    lua: `
      local holder = redis.call('GET', KEYS[1])
      if holder and holder ~= ARGV[1] then return 0 end
      redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
      return 1`,
  },
  /** Removes a lease that this owner holds. ARGV: owner. */
  tollgateRelease: {
    numberOfKeys: 1,
    lua: `
      if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
      return 0`,
  },
  /**
   * Leases slots. The key is a hash of `slots:expiry` by node. ARGV: node, used, wanted, limit, lifetime in ms. Returns
   * the granted slots.
   */
  tollgatePlaces: {
    numberOfKeys: 1,
    lua: `
      local time = redis.call('TIME')
      local now = time[1] * 1000 + math.floor(time[2] / 1000)
      local others = 0
      local fields = redis.call('HGETALL', KEYS[1])
      for at = 1, #fields, 2 do
        local slots, expiry = string.match(fields[at + 1], '^(%d+):(%d+)$')
        if tonumber(expiry) <= now then redis.call('HDEL', KEYS[1], fields[at])
        elseif fields[at] ~= ARGV[1] then others = others + tonumber(slots) end
      end
      local granted = math.max(tonumber(ARGV[2]), math.min(tonumber(ARGV[3]), tonumber(ARGV[4]) - others))
      if granted > 0 then
        redis.call('HSET', KEYS[1], ARGV[1], string.format('%d:%.0f', granted, now + ARGV[5]))
        redis.call('PEXPIRE', KEYS[1], ARGV[5])
      else
        redis.call('HDEL', KEYS[1], ARGV[1])
      end
      return granted`,
  },
} as const;

/** The scripts as methods of the client. */
interface ScriptCommands {
  tollgateIncrement(key: string, amount: number, lifetime: number): Promise<number>;
  tollgateHit(key: string, limit: number, window: number, record: 0 | 1): Promise<number>;
  tollgateCount(
    key: string,
    second: number,
    window: number,
    amount: number,
    limit: number,
    alone: 0 | 1,
  ): Promise<[admitted: 0 | 1, sum: number, second: number, freeAt: number]>;
  tollgateRecount(key: string, second: number, amount: number): Promise<0 | 1>;
  tollgateLease(key: string, owner: string, lifetime: number): Promise<0 | 1>;
  tollgateRelease(key: string, owner: string): Promise<0 | 1>;
  tollgatePlaces(
    key: string,
    owner: string,
    used: number,
    wanted: number,
    limit: number,
    lifetime: number,
  ): Promise<number>;
}

export type RedisConfig = NonNullable<Config['redis']>;

/** Milliseconds. The timeout is longer than any healthy response; an unresponsive Redis delays a call once. */
const commandTimeout = 1000;
const connectTimeout = 2000;

export interface RedisClients {
  readonly commands: (Redis | Cluster) & ScriptCommands;
  /**
   * The client for subscriptions, because a subscribed connection accepts no other command. The Cluster client has its
   * own.
   */
  readonly subscriber: Redis | Cluster;
}

/**
 * Creates clients for one server, Sentinel or Cluster. They connect on request, and fail immediately while they are not
 * connected.
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
    // A moved slot is followed at once. A lost node must not delay a call.
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

/** Returns the credentials and database of a URL. */
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

/** Parses `host`, `host:port` or `[v6]:port`. */
function address(text: string): { host: string; port: number } {
  const { hostname, port } = new URL(`redis://${text}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 6379 };
}
