import { asFields, parseFields, type Fields } from './json.js';

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

/** @returns null for an empty text, and for a text that could not have been saved */
export function parseLimits(text: string): ChannelLimits | null {
  const given = parseFields(text);
  if (!given || limitsProblem(given) !== null) return null;
  const [channel, key] = [useLimitsOf(given['channel']), useLimitsOf(given['key'])];
  return channel || key ? { channel, key } : null;
}

function useLimitsOf(value: unknown): UseLimits | null {
  const given = asFields(value);
  if (!given || Object.keys(given).length === 0) return null;
  const of = (name: string): number => Number(given[name] ?? 0);
  return {
    requestsPerMinute: of('requests_per_minute'),
    tokensPerMinute: of('tokens_per_minute'),
    concurrentCalls: of('concurrent_calls'),
    dailyUsd: of('daily_usd'),
    monthlyUsd: of('monthly_usd'),
  };
}

/** @returns null for none, and for a text that could not have been saved */
export function parseTimeouts(text: string): ChannelTimeouts | null {
  const given = parseFields(text);
  if (!given || timeoutsProblem(given) !== null || Object.keys(given).length === 0) return null;
  const of = (name: string): number => Number(given[name]) * 1000;
  return {
    ...(given['first_byte_seconds'] === undefined ? {} : { firstByteTimeout: of('first_byte_seconds') }),
    ...(given['idle_seconds'] === undefined ? {} : { idleTimeout: of('idle_seconds') }),
    ...(given['total_seconds'] === undefined ? {} : { totalTimeout: of('total_seconds') }),
  };
}
