/**
 * Atomic operations inside Redis. Every script touches a single key, so it runs unchanged on a Cluster. One that needs
 * two keys must give them a common hash tag (`{...}`).
 */
export const redisScripts = {
  /** ARGV: amount, lifetime in ms. The lifetime starts with the first addition. */
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
  /** ARGV: owner, lifetime in ms. Returns 1 while the owner holds the lease. */
  tollgateLease: {
    numberOfKeys: 1,
    lua: `
      local holder = redis.call('GET', KEYS[1])
      if holder and holder ~= ARGV[1] then return 0 end
      redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
      return 1`,
  },
  /** ARGV: owner. Removes only a lease that this owner holds. */
  tollgateRelease: {
    numberOfKeys: 1,
    lua: `
      if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
      return 0`,
  },
} as const;

/** The scripts as methods of the client. */
export interface ScriptCommands {
  tollgateIncrement(key: string, amount: number, lifetime: number): Promise<number>;
  tollgateHit(key: string, limit: number, window: number, record: 0 | 1): Promise<number>;
  tollgateLease(key: string, owner: string, lifetime: number): Promise<0 | 1>;
  tollgateRelease(key: string, owner: string): Promise<0 | 1>;
}
