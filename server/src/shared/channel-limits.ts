import { asFields, type Fields } from './json.js';
import { millisecondsIn } from './clock.js';

/** Maximum amounts; 0 for no limit. */
export interface UseLimits {
  readonly requestsPerMinute: number;
  readonly tokensPerMinute: number;
  readonly concurrentCalls: number;
  /** Maximum USD that its calls are charged, per day and month in UTC. */
  readonly dailyUsd: number;
  readonly monthlyUsd: number;
}

/** Limits of a channel and of each of its keys (docs/reference/relay/limits.md). */
export interface ChannelLimits {
  readonly channel: UseLimits | null;
  readonly key: UseLimits | null;
}

/** Milliseconds. The server's configuration applies when a timeout is absent. */
export interface ChannelTimeouts {
  readonly firstByteTimeout?: number;
  readonly idleTimeout?: number;
  readonly totalTimeout?: number;
}

const whole = ['requests_per_minute', 'tokens_per_minute', 'concurrent_calls'] as const;
const amounts = ['daily_usd', 'monthly_usd'] as const;
const timeouts = ['first_byte_seconds', 'idle_seconds', 'total_seconds'] as const;

/** Limits of a channel and of each of its keys, as the APIs have them. An absent one does not limit. */
export type LimitSetting = Readonly<
  Partial<
    Record<'channel' | 'key', Readonly<Partial<Record<(typeof whole)[number] | (typeof amounts)[number], number>>>>
  >
>;
/** Timeouts of a channel in seconds, as the APIs have them. */
export type TimeoutSetting = Readonly<Partial<Record<(typeof timeouts)[number], number>>>;

const largest = 1e12;
/** Maximum seconds of a timeout. */
const longestTimeout = 86_400;

/** @returns the error in limits that an admin entered; null when there is none */
export function limitsProblem(given: Fields): string | null {
  for (const scope of Object.keys(given)) {
    if (scope !== 'channel' && scope !== 'key') return `${scope} is unknown; use channel and key`;
    const limits = asFields(given[scope]);
    if (!limits) return `${scope} must be an object`;
    for (const [name, value] of Object.entries(limits)) {
      const isWhole = (whole as readonly string[]).includes(name);
      if (!isWhole && !(amounts as readonly string[]).includes(name)) return `${name} is unknown`;
      if (typeof value !== 'number' || value <= 0 || value > largest || (isWhole && !Number.isInteger(value))) {
        return `${name} must be a ${isWhole ? 'whole number' : 'number'} above 0`;
      }
    }
  }
  return null;
}

/** @returns the error in timeouts that an admin entered; null when there is none */
export function timeoutsProblem(given: Fields): string | null {
  for (const [name, value] of Object.entries(given)) {
    if (!(timeouts as readonly string[]).includes(name)) return `${name} is unknown`;
    if (typeof value !== 'number' || value <= 0 || value > longestTimeout) {
      return `${name} must be a number of seconds above 0, at most ${longestTimeout}`;
    }
  }
  return null;
}

/** Returns the limits that are counted; null for none. */
export function toChannelLimits(setting: LimitSetting | null): ChannelLimits | null {
  const [channel, key] = [toUseLimits(setting?.channel), toUseLimits(setting?.key)];
  return channel || key ? { channel, key } : null;
}

function toUseLimits(given: LimitSetting['channel'] = {}): UseLimits | null {
  if (Object.keys(given).length === 0) return null;
  return {
    requestsPerMinute: given.requests_per_minute ?? 0,
    tokensPerMinute: given.tokens_per_minute ?? 0,
    concurrentCalls: given.concurrent_calls ?? 0,
    dailyUsd: given.daily_usd ?? 0,
    monthlyUsd: given.monthly_usd ?? 0,
  };
}

/** Returns the timeouts in milliseconds; null for those of the server. */
export function toChannelTimeouts(setting: TimeoutSetting | null): ChannelTimeouts | null {
  if (!setting) return null;
  const { first_byte_seconds: first, idle_seconds: idle, total_seconds: total } = setting;
  return {
    ...(first === undefined ? {} : { firstByteTimeout: millisecondsIn(first) }),
    ...(idle === undefined ? {} : { idleTimeout: millisecondsIn(idle) }),
    ...(total === undefined ? {} : { totalTimeout: millisecondsIn(total) }),
  };
}
