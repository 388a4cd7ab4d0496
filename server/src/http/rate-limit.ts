import { isIPv6 } from 'node:net';
import type { onRequestAsyncHookHandler } from 'fastify';
import type { SharedState } from '../cache/shared-state.js';
import { AppError } from '../shared/errors.js';

export interface RateLimit {
  readonly enabled: boolean;
  readonly count: number;
  readonly seconds: number;
}

/** One sliding log for each address (`rest-api.md` 1.6). A store that is away lets calls through: it must not stop the site. */
export function limitByAddress(state: SharedState, name: string, limit: RateLimit): onRequestAsyncHookHandler {
  return async (request) => {
    if (!limit.enabled) return;
    const hit = await state
      .hit(`limit:${name}:${addressKey(request.ip)}`, limit.count, limit.seconds)
      .catch(() => null);
    if (hit && !hit.allowed) throw tooManyRequests(hit.retryAfterSeconds);
  };
}

export const tooManyRequests = (retryAfterSeconds: number): AppError =>
  new AppError('RATE_LIMITED', 'Too many requests, try again later', { retryAfterSeconds });

/** An IPv6 customer owns a whole /64, so that is what counts as one address. */
export function addressKey(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('%')[0]?.split('::') ?? [];
  const left = head.split(':').filter(Boolean);
  const right = tail?.split(':').filter(Boolean) ?? [];
  const groups =
    tail === undefined ? left : [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
