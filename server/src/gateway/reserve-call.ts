import type { KnownBudget } from '../shared/budget.js';
import { isAppError } from '../shared/errors.js';
import { RateError, type RateLease, type RateStates } from './admit/call-rates.js';
import { rateHeaders } from './admit/rate-headers.js';
import type { Call, OpenedRequest } from './call.js';
import type { RelayDeps } from './deps.js';
import type { RunningCalls } from './observe/running-calls.js';
import type { CallPricing } from './price-call.js';
import { reserveFor, type Reserved } from './reserve/reserve.js';
import { reservedUse } from './settle/call-use.js';

/** Counts a call under limits per minute, and reserves what it may cost. */
export class Reservations {
  constructor(
    private readonly deps: RelayDeps,
    private readonly pricing: CallPricing,
    private readonly running: RunningCalls,
  ) {}

  /**
   * Reserves a call.
   * @throws RateError, AppError like `reserveFor`; nothing is reserved then
   */
  async make(call: Call, asked: OpenedRequest): Promise<Reserved> {
    const { caller, admission } = call;
    if (!this.pricing.isBudgeted(caller)) return this.reserve(call);
    const limits = this.deps.budgets.rates(caller, admission.group, admission.bareModel);
    return limits ? this.counted(call, limits, asked) : this.reserve(call);
  }

  private async reserve(call: Call): Promise<Reserved> {
    const { keys, ledger, options, budgets } = this.deps;
    this.running.waits(call.requestId);
    try {
      return await reserveFor(call, ledger, options.values);
    } catch (error) {
      budgets.refused(error);
      if (isAppError(error) && error.code === 'INSUFFICIENT_TOKEN_QUOTA') keys.forget(call.caller.key);
      throw error;
    } finally {
      this.running.goesOn(call.requestId);
    }
  }

  /**
   * Counts the call and sets the rate limit headers of its response. A call that is reserved again for a fallback is
   * counted once.
   */
  private async counted(call: Call, limits: readonly KnownBudget[], asked: OpenedRequest): Promise<Reserved> {
    const { rates, clock } = this.deps;
    const show = (states: RateStates): void =>
      asked.client.setRateHeaders(rateHeaders(states, call.endpoint.rateDialect ?? 'openai', clock.now()));
    asked.counted ??= new Set();
    let lease: RateLease;
    try {
      lease = await rates.enter(limits, reservedUse(call, 0).tokens, asked.counted);
    } catch (error) {
      if (error instanceof RateError) show(error.states);
      throw error;
    }
    show(lease.states);
    try {
      return { ...(await this.reserve(call)), rates: lease };
    } catch (error) {
      lease.correct(0);
      throw error;
    }
  }
}
