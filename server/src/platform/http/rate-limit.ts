import type { onRequestAsyncHookHandler } from 'fastify';
import type { SharedState } from '../cache/shared-state.js';
import { addressKey } from '../../shared/address.js';
import { AppError } from '../../shared/errors.js';

/** A limit of `count` requests per window of seconds. */
export interface RateLimit {
  readonly enabled: boolean;
  readonly count: number;
  readonly seconds: number;
}

/**
 * One sliding log per address (docs/reference/rest/conventions.md#rate-limits). An unavailable store lets calls
 * through, because it must not stop the site.
 */
export function limitByAddress(state: SharedState, name: string, limit: RateLimit): onRequestAsyncHookHandler {
  return async (request) => {
    if (!limit.enabled) return;
    const key = `limit:${name}:${addressKey(request.ip)}`;
    const hit = await state.hit(key, limit.count, limit.seconds).catch(() => null);
    if (hit && !hit.allowed) {
      throw new AppError('RATE_LIMITED', 'Too many requests, try again later', {
        retryAfterSeconds: hit.retryAfterSeconds,
      });
    }
  };
}
