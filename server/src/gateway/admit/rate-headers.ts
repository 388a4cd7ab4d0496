import type { RateStates } from './call-rates.js';
import { secondsIn } from '../../shared/clock.js';

/** How a dialect names the headers of rate limits. Gemini has none; its clients get those of OpenAI. */
export type RateDialect = 'openai' | 'anthropic';

const kinds = ['requests', 'tokens'] as const;

/**
 * Returns headers that show a client its state at its limits per minute, in the client's dialect.
 * @param now Unix milliseconds
 */
export function rateHeaders(states: RateStates, dialect: RateDialect, now: number): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const kind of kinds) {
    const state = states[kind];
    if (!state) continue;
    const { resetAt } = state;
    const [limit, remaining] = [String(state.limit), String(state.remaining)];
    if (dialect === 'anthropic') {
      const name = `anthropic-ratelimit-${kind}`;
      headers[`${name}-limit`] = limit;
      headers[`${name}-remaining`] = remaining;
      headers[`${name}-reset`] = new Date(resetAt).toISOString().replace('.000Z', 'Z');
    } else {
      headers[`x-ratelimit-limit-${kind}`] = limit;
      headers[`x-ratelimit-remaining-${kind}`] = remaining;
      headers[`x-ratelimit-reset-${kind}`] = `${Math.max(0, Math.ceil(secondsIn(resetAt - now)))}s`;
    }
  }
  return headers;
}
