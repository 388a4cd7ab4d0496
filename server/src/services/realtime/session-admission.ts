import type { Price, PriceBook } from '../../billing/prices/index.js';
import {
  BudgetError,
  type Ledger,
  QuotaError,
  type Transaction,
  type TurnReservation,
  SessionLedger,
} from '../../billing/ledger/index.js';
import type { OptionValues } from '../../options/option.service.js';
import type { Logger } from '../../platform/observability/logger.js';
import type { Clock } from '../../shared/clock.js';
import { InvalidInputError, isAppError } from '../../shared/errors.js';
import { checkAddress, findRoute, isRateLimited, type CallRoute } from '../../gateway/route/call-route.js';
import { authenticateKey, findKey, type Caller } from '../../gateway/admit/authentication.js';
import type { KeyDirectory } from '../../gateway/admit/key-directory.js';
import type { KeyUses } from '../../gateway/admit/key-uses.js';
import type { ModelRateLimit } from '../../gateway/admit/rate-limit.js';
import type { CallBudgets } from '../../gateway/admit/call-budgets.js';
import type { CallRates } from '../../gateway/admit/call-rates.js';
import type { IncomingRequest } from '../../gateway/request.js';
import { affordable } from '../../gateway/reserve/estimate.js';
import { wordedQuotaError } from '../../gateway/reserve/reserve.js';
import type { RoutingDirectory } from '../../gateway/route/routing-directory.js';
import type { ResponseCost, ResponseReservation } from './session-reservations.js';
import { SessionPayers, type TurnPayment } from './session-payers.js';
import { SessionPrice } from './session-price.js';

export interface SessionAdmissionDeps {
  readonly keys: KeyDirectory;
  readonly keyUses: KeyUses;
  readonly rateLimit: ModelRateLimit;
  readonly channels: RoutingDirectory;
  readonly prices: PriceBook;
  readonly ledger: Ledger;
  readonly budgets: CallBudgets;
  readonly rates: CallRates;
  readonly database: Transaction;
  readonly options: { readonly values: OptionValues };
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The fields of a session that billing needs. */
export interface PaidSession {
  readonly call: IncomingRequest;
  readonly caller: Caller;
  readonly route: CallRoute;
  readonly price: SessionPrice;
  readonly sessionLedger: SessionLedger;
  readonly payers: SessionPayers;
  /** Whether the model only transcribes speech: an event named it, and the session pays for its transcripts. */
  readonly isTranscription: boolean;
}

/** Decides who may open a session, at which price, and whether they can pay for the next turn. */
export class SessionAdmission {
  constructor(private readonly deps: SessionAdmissionDeps) {}

  /**
   * Runs the checks that need no model (docs/reference/relay/access.md#order-of-checks).
   * @throws AppError
   */
  async enter(caller: Caller, call: IncomingRequest): Promise<void> {
    const { rateLimit, options, keyUses } = this.deps;
    if (isRateLimited(caller, options)) await rateLimit.enter(caller);
    checkAddress(caller, call.address);
    keyUses.note(caller.token, call.address);
  }

  /**
   * Runs the checks of the model and its price.
   * @throws AppError
   */
  admit(caller: Caller, call: IncomingRequest, model: string, isTranscription: boolean): PaidSession {
    const { channels, prices, ledger, database, clock, options, logger } = this.deps;
    if (model === '') throw new InvalidInputError('model is required', 'model');
    const route = findRoute(caller, model, channels.table, options);
    const terms = { group: route.group, acceptsUnpriced: caller.user.acceptsUnpriced };
    const sale = prices.price(route.bareModel, terms);
    const ofTranscripts = (other: string): Price | null =>
      isTranscription ? ofOwnTranscripts(sale) : prices.ofTranscripts(sale, other, route.group);
    const price = new SessionPrice(sale, options.values, ofTranscripts);
    const sessionLedger = new SessionLedger(
      { ledger, database, clock, logger },
      { requestId: call.requestId, userId: caller.user.id, tokenId: caller.token.id, modelName: route.model },
    );
    const payers = new SessionPayers(this.deps.budgets, route, sale.groupRatio);
    return { call, caller, route, price, sessionLedger, payers, isTranscription };
  }

  /**
   * Reserves the cost of the session besides its responses: the time until the next charge, and transcription.
   * @throws AppError
   */
  async hold(paid: PaidSession, caller = paid.caller): Promise<void> {
    const { values } = this.deps.options;
    const { sessionLedger, price, payers, isTranscription } = paid;
    const { amount, priced } = price.reserve();
    const isFirst = sessionLedger.reservations === 0;
    // The time of a session is not a request, but its transcripts are.
    if (isTranscription || isFirst) await this.countRequest(paid);
    const open = ({ payer, partOf }: TurnPayment): Promise<void> =>
      sessionLedger.open(partOf(amount), priced, values.PreConsumedQuota, { isTurn: isTranscription, isFirst, payer });
    const isTime = price.isTimed && !isTranscription;
    await payers.pay(caller, priced, open, isTime).catch((error: unknown) => {
      throw this.refusal(paid, error, amount);
    });
  }

  /**
   * Reserves the next amount. A key that was revoked, or whose owner was banned, gets no further reservation. The
   * ledger decides whether the caller can pay.
   */
  async holdAnother(paid: PaidSession): Promise<void> {
    await this.hold(paid, await this.checkCaller(paid));
  }

  /**
   * Reserves a response, in a plan of its caller or in the balance: the whole cost, or the amount that the balance and the
   * budgets have, if it pays for a useful response.
   * @throws AppError, SessionEndedError for a caller who may not continue
   */
  async reserveResponse(paid: PaidSession, cost: ResponseCost): Promise<ResponseReservation> {
    const { price, sessionLedger, payers } = paid;
    const { values } = this.deps.options;
    const caller = await this.checkCaller(paid).catch((error: unknown) => {
      throw isAppError(error) && error.code === 'SERVICE_UNAVAILABLE' ? error : new SessionEndedError(error);
    });
    // The first response is covered by the request that opened the session.
    if (sessionLedger.reservations > 1 && !cost.isCounted) await this.countRequest(paid);
    const { amount: small, priced } = price.reserve();
    const isStrict = values.StrictReserve;
    const fewest = Math.min(cost.outputTokens, minSpoken);
    const reserve = async ({ payer, partOf, isWhole }: TurnPayment): Promise<ResponseReservation> => {
      const of = (output: number): number => partOf(cost.of(output));
      let { outputTokens } = cost;
      let amount = isStrict ? of(outputTokens) : partOf(small);
      for (let attempt = 1; ; attempt++) {
        try {
          const held = await sessionLedger.reserve(amount, priced, cost.promptTokens + outputTokens, { payer });
          return { held, outputTokens };
        } catch (error) {
          if (attempt === maxAttempts || !isStrict || isWhole(error)) throw error;
          outputTokens = roomIn(error, { ...cost, of, outputTokens });
          if (outputTokens < fewest) throw error;
          amount = Math.min(amount, availableOf(error) ?? of(outputTokens));
        }
      }
    };
    return payers.pay(caller, priced, reserve).catch((error: unknown) => {
      throw this.refusal(paid, error, isStrict ? cost.of(fewest) : small);
    });
  }

  /** Makes an empty reservation. */
  reserveNothing({ sessionLedger, payers, caller }: PaidSession): Promise<TurnReservation> {
    return sessionLedger.reserve(0, false, 0, { payer: payers.balance(caller) });
  }

  private countRequest({ caller, route }: PaidSession): Promise<void> {
    const { budgets, rates } = this.deps;
    return rates.request(budgets.rates(caller, route.group, route.bareModel));
  }

  /** Authenticates the caller again. An overloaded node refuses new sessions only, so its refusal is ignored here. */
  private async checkCaller({ call: { headers, path, query }, caller }: PaidSession): Promise<Caller> {
    const { keys, clock } = this.deps;
    try {
      return await authenticateKey(findKey(headers, path, query), keys, clock);
    } catch (error) {
      if (!isAppError(error) || error.code !== 'TOKEN_QUOTA_EXHAUSTED') throw error;
      return caller;
    }
  }

  /**
   * Converts an error for the client.
   * @param needed quota
   */
  private refusal({ caller }: PaidSession, error: unknown, needed: number): unknown {
    this.deps.budgets.refused(error);
    if (isAppError(error) && error.code === 'INSUFFICIENT_TOKEN_QUOTA') this.deps.keys.forget(caller.key);
    const least = error instanceof QuotaError ? new QuotaError(error.code, error.available, needed) : error;
    return wordedQuotaError(least, this.deps.options.values);
  }
}

/** Output tokens below which a response is not worth making: five seconds of speech. */
const minSpoken = 100;
/**
 * Maximum attempts to adapt a refused amount to the balance. The balance changes while responses are reserved in
 * parallel.
 */
const maxAttempts = 8;

/** The key was revoked, or its owner was banned, so no further response is made. */
export class SessionEndedError extends Error {
  constructor(cause: unknown) {
    super('the caller may not continue', { cause });
  }
}

const moneyErrors: ReadonlySet<string> = new Set([
  ...['INSUFFICIENT_QUOTA', 'INSUFFICIENT_TOKEN_QUOTA', 'BUDGET_EXCEEDED'],
]);

/** Whether an error means that the caller cannot pay, or may not continue. Others may pass. */
export const isFinal = (error: unknown): boolean =>
  error instanceof SessionEndedError || (isAppError(error) && moneyErrors.has(error.code));

/** Returns the output tokens that a refusing balance or budget has room for; 0 for other errors. */
function roomIn(error: unknown, cost: ResponseCost): number {
  if (error instanceof BudgetError && error.hold.kind === 'tokens') return error.available - cost.promptTokens;
  const available = availableOf(error);
  return available === null
    ? 0
    : affordable(
        { of: (_prompt, output) => cost.of(output), outputTokens: cost.outputTokens, choices: 1 },
        0,
        available,
      );
}

/**
 * Returns the price of transcripts in a session that has no other turns. Null when a price per call covers them, or
 * they are free.
 */
const ofOwnTranscripts = (sale: Price): Price | null => (sale.coversWork ? null : sale);

/** Returns the quota that a refusing balance or money budget has left; null for other errors. */
function availableOf(error: unknown): number | null {
  const isRefusedByMoney = error instanceof QuotaError || (error instanceof BudgetError && error.hold.kind === 'money');
  return isRefusedByMoney ? error.available : null;
}
