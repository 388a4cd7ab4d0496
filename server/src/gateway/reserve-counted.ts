import type { KnownBudget } from '../shared/budget.js';
import { RateError, type RateLease, type RateStates } from './admit/call-rates.js';
import { rateHeaders } from './admit/rate-headers.js';
import { reservedUse } from './settle/call-use.js';
import type { Call } from './priced-call.js';
import type { Reserved } from './reserve/reserve.js';
import type { ClientResponse } from './deliver/client-response.js';
import type { RelayDeps } from './deps.js';

/** The client's call, which may be reserved in several ways. */
interface CountedOnce {
  readonly client: ClientResponse;
  /** Limits of a minute that have counted the request. */
  counted: Set<number> | null;
}

/**
 * Counts a call under limits per minute before it is reserved, and shows the client where it stands.
 * @param reserve makes the reservation
 * @throws RateError, and what `reserve` throws: then the call holds no tokens
 */
export async function reserveCounted(
  call: Call,
  limits: readonly KnownBudget[],
  asked: CountedOnce,
  { rates, clock }: Pick<RelayDeps, 'rates' | 'clock'>,
  reserve: () => Promise<Reserved>,
): Promise<Reserved> {
  const show = (states: RateStates): void =>
    asked.client.setRateHeaders(rateHeaders(states, call.endpoint.rateDialect ?? 'openai', clock.now()));
  asked.counted ??= new Set();
  let pass: RateLease;
  try {
    pass = await rates.enter(limits, reservedUse(call, 0).tokens, asked.counted);
  } catch (error) {
    if (error instanceof RateError) show(error.states);
    throw error;
  }
  show(pass.states);
  try {
    return { ...(await reserve()), rates: pass };
  } catch (error) {
    pass.correct(0);
    throw error;
  }
}
