import { isFree, type Price, type PriceBook } from '../../modules/pricing/price-book.service.js';
import { BudgetError } from '../../modules/quota/budget-holds.service.js';
import { QuotaError, type Ledger, type Transaction } from '../../modules/quota/ledger.service.js';
import { SessionBooks } from '../../modules/quota/session-books.service.js';
import type { OptionValues } from '../../modules/options/option.service.js';
import type { Logger } from '../../observability/logger.js';
import type { Clock } from '../../shared/clock.js';
import { InvalidInputError, isAppError } from '../../shared/errors.js';
import { admit, checkAddress, isRateLimited, type Admission } from '../access/admission.js';
import type { Caller } from '../access/authentication.js';
import type { KeyDirectory } from '../access/key-directory.js';
import type { KeyUses } from '../access/key-uses.js';
import type { ModelRateLimit } from '../access/rate-limit.js';
import type { CallBudgets } from '../budgets/call-budgets.js';
import type { CallRates } from '../budgets/call-rates.js';
import type { IncomingCall } from '../call/incoming-call.js';
import type { Relay } from '../call/relay.js';
import { wordedQuotaError } from '../record/reserve.js';
import type { RoutingDirectory } from '../routing/routing-directory.js';
import { SessionPrice } from './session-price.js';

export interface SessionAdmissionDeps {
  readonly relay: Pick<Relay, 'authenticate'>;
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
  readonly call: IncomingCall;
  readonly caller: Caller;
  readonly admission: Admission;
  readonly price: SessionPrice;
  readonly books: SessionBooks;
  /** The model only writes down speech: an event named it, and its transcripts are what the session pays for. */
  readonly isTranscription: boolean;
}

/** Who may open a session, at which price, and whether they can pay for the next turn. */
export class SessionAdmission {
  constructor(private readonly deps: SessionAdmissionDeps) {}

  /**
   * The checks that need no model (docs/reference/relay/access.md#order-of-checks).
   * @throws AppError
   */
  async enter(caller: Caller, call: IncomingCall): Promise<void> {
    const { rateLimit, options, keyUses } = this.deps;
    if (isRateLimited(caller, options)) await rateLimit.enter(caller);
    checkAddress(caller, call.address);
    keyUses.note(caller.token, call.address);
  }

  /**
   * The checks of the model and its price.
   * @throws AppError
   */
  admit(caller: Caller, call: IncomingCall, model: string, isTranscription: boolean): PaidSession {
    const { channels, prices, ledger, database, clock, options, logger } = this.deps;
    if (model === '') throw new InvalidInputError('model is required', 'model');
    const admission = admit(caller, model, channels.table, options);
    const terms = { group: admission.group, acceptsUnpriced: caller.user.acceptsUnpriced };
    const sale = prices.price(admission.bareModel, terms);
    const ofTranscripts = (other: string): Price | null =>
      isTranscription ? ofOwnTranscripts(sale) : prices.ofTranscripts(sale, other, admission.group);
    const price = new SessionPrice(sale, options.values, ofTranscripts);
    const budgets = this.deps.budgets.of(caller, admission.group, admission.bareModel) ?? undefined;
    const books = new SessionBooks(
      { ledger, database, clock, logger },
      { requestId: call.requestId, userId: caller.user.id, tokenId: caller.token.id, modelName: admission.model },
      budgets && ((money) => budgets.holds({ money, tokens: options.values.PreConsumedQuota })),
    );
    return { call, caller, admission, price, books, isTranscription };
  }

  /**
   * Reserves the next turn: as much as the dearest one cost, or what is there, so that sessions of one user do not spend
   * the same balance.
   * @throws AppError
   */
  async hold({ books, price, caller, admission }: PaidSession): Promise<void> {
    const { budgets, rates } = this.deps;
    const { values } = this.deps.options;
    await rates.request(budgets.rates(caller, admission.group, admission.bareModel));
    const { amount: least, priced } = price.reserve();
    let amount = priced && values.StrictReserve ? Math.max(least, price.dearestTurn) : least;
    for (;;) {
      try {
        return await books.reserve(amount, priced);
      } catch (error) {
        const available = availableOf(error);
        if (available !== null && available >= Math.max(1, least) && available < amount) {
          amount = available;
          continue;
        }
        budgets.refused(error);
        if (isAppError(error) && error.code === 'INSUFFICIENT_TOKEN_QUOTA') this.deps.keys.forget(caller.key);
        const needed = error instanceof QuotaError ? new QuotaError(error.code, error.available, least) : error;
        throw wordedQuotaError(needed, values);
      }
    }
  }

  /**
   * A key that was revoked, or whose owner was banned, gets no further turn. Whether it can pay is the ledger's
   * decision.
   */
  async holdAnother(paid: PaidSession): Promise<void> {
    await this.deps.relay.authenticate(paid.call).catch((error: unknown) => {
      if (!isAppError(error) || error.code !== 'TOKEN_QUOTA_EXHAUSTED') throw error;
    });
    await this.hold(paid);
  }
}

/** The transcripts of a session that has no other turns; null where a price per call covers them, or they are free. */
const ofOwnTranscripts = (sale: Price): Price | null => (sale.kind === 'call' || isFree(sale) ? null : sale);

/** The quota that a refusing balance or budget of money has left; null for other errors. */
function availableOf(error: unknown): number | null {
  const hasLeft = error instanceof QuotaError || (error instanceof BudgetError && error.hold.kind === 'money');
  return hasLeft ? error.available : null;
}
