import type { Logger } from 'pino';
import type { DataSource, EntityManager } from 'typeorm';
import { User } from '../accounts/index.js';
import { type Finished, Plan, type PlanSales, Subscription } from '../plans/index.js';
import type { OptionValues } from '../../options/option.service.js';
import { seconds, type Clock } from '../../shared/clock.js';
import { isAppError } from '../../shared/errors.js';
import { randomAlphanumeric } from '../../shared/ids.js';
import { recordOrderEvent } from './order-events.js';
import type { PaymentCallbacks } from './payment-callbacks.js';
import type { PaymentProviders } from './payment-providers.js';
import { type CardCharges, type ChargeProblem, ChargeRefused, type PaymentProvider } from './provider.js';
import { TopUpOrder } from './top-up-order.entity.js';
import { pricePlan, type TopUpPrice } from './top-up-price.js';

export interface CardRenewalsDeps {
  readonly database: Pick<DataSource, 'transaction' | 'query' | 'manager'>;
  readonly sales: Pick<PlanSales, 'lock' | 'failRenewal' | 'renewalProblem'>;
  readonly callbacks: Pick<PaymentCallbacks, 'takeQueried'>;
  readonly providers: PaymentProviders;
  readonly options: { readonly values: OptionValues };
  /** Notifies the account that its plan was not renewed. */
  readonly notify: (
    manager: EntityManager,
    ended: Subscription,
    how: Pick<Finished, 'renewal' | 'problem'>,
  ) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Days after a declined charge until the next one. */
const retryDays = [1, 2, 4];
const day = 86_400_000;
/** Milliseconds after which an order is charged no more: the buyer does not expect it by then. */
const maxAge = 8 * day;
/** Milliseconds for which a node has an order. Longer than its calls of the provider may take. */
const lease = 600_000;

const problems: Readonly<Record<ChargeProblem, string>> = {
  declined: 'CARD_DECLINED',
  authentication: 'AUTHENTICATION_REQUIRED',
  removed: 'CARD_REMOVED',
  refused: 'PAYMENT_FAILED',
};

interface Card {
  readonly provider: PaymentProvider;
  readonly charges: CardCharges;
  /** The paid order that saved the card. */
  readonly paidWith: TopUpOrder;
}

interface Due {
  readonly order: TopUpOrder;
  readonly card: Card;
  /** Whether the order is too old to be charged. An earlier charge may be in progress, or have succeeded. */
  readonly isLate: boolean;
}

/**
 * Renewals of plans by a saved card. Each is an order that is stored in the transaction which ends the subscription, and
 * credited like any other. The provider charges an order once.
 */
export class CardRenewals {
  constructor(private readonly deps: CardRenewalsDeps) {}

  /** Orders the renewal of a subscription that has ended, in the caller's transaction. */
  async order(manager: EntityManager, ended: Subscription, plan: Plan): Promise<void> {
    const { options, clock } = this.deps;
    const card = await this.cardOf(manager, ended);
    if (!card || cardProblem(card) !== '') return this.fail(manager, ended, cardProblem(card));
    const { provider, paidWith } = card;
    const price = await this.priceOf(manager, ended, plan, paidWith);
    if (!price) return this.fail(manager, ended, 'PRICE_RAISED');
    await manager.insert(TopUpOrder, {
      userId: ended.accountId,
      tradeNo: `USR${ended.accountId}NO${randomAlphanumeric(6)}${seconds(clock)}`,
      provider: provider.name,
      merchantId: provider.account(options.values),
      paymentMethod: paidWith.paymentMethod,
      quota: price.quota,
      money: price.money,
      currency: paidWith.currency,
      planId: plan.id,
      savesCard: true,
      renewsId: ended.id,
      createdAt: new Date(clock.now()),
      nextChargeAt: new Date(clock.now()),
    });
  }

  /** Takes an order whose card is to be charged, so that other nodes leave it. @returns its id; null: none is due */
  async claim(): Promise<number | null> {
    const now = this.deps.clock.now();
    const [rows] = await this.deps.database.query<[Array<{ id: number }>, number]>(
      `UPDATE top_up_orders SET next_charge_at = $2 WHERE id = (
         SELECT id FROM top_up_orders WHERE status = 'pending' AND next_charge_at <= $1
          ORDER BY next_charge_at LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id`,
      [new Date(now), new Date(now + lease)],
    );
    return rows[0]?.id ?? null;
  }

  /**
   * Charges the card of a claimed order. An order whose outcome is not known is claimed again later.
   * @param signal aborts the calls of the provider
   */
  async charge(id: number, signal: AbortSignal): Promise<void> {
    const { database, callbacks, providers, logger } = this.deps;
    const due = await database.transaction((manager) => this.due(manager, id));
    if (!due) return;
    const { order, card, isLate } = due;
    try {
      const context = providers.contextOf(card.provider, signal, '/my-plans');
      const payment = isLate
        ? await card.charges.find(order, context)
        : await card.charges.charge(await this.prepared(order, card, signal), context);
      if (payment) await callbacks.takeQueried(card.provider, payment);
      // The charge is in progress. The payment provider reports its end, and the sweep asks for it.
      else await this.chargeAt(database.manager, order, day);
    } catch (error) {
      if (error instanceof ChargeRefused) {
        await database.transaction((manager) => this.decline(manager, order, error));
        return;
      }
      if (signal.aborted) return;
      logger.warn({ err: error, tradeNo: order.tradeNo }, 'saved card could not be charged');
      await database.transaction((manager) => this.postpone(manager, due));
    }
  }

  /** The gateway decides nothing. The account is notified after a day, and may pay the plan itself. */
  private async postpone(manager: EntityManager, { order: { id }, isLate }: Due): Promise<void> {
    const order = await manager.findOne(TopUpOrder, { where: { id }, lock: { mode: 'for_no_key_update' } });
    if (order?.status !== 'pending' || order.renewsId === null || this.ageOf(order) < day) return;
    const ended = await this.deps.sales.lock(manager, order.renewsId);
    if (isLate) await this.chargeAt(manager, order, day);
    if (ended.renewalProblem === '') await this.fail(manager, ended, 'PAYMENT_FAILED');
  }

  /** Returns an order that is still to be charged. Any other order is left out for good. */
  private async due(manager: EntityManager, id: number): Promise<Due | null> {
    const order = await manager.findOne(TopUpOrder, { where: { id }, lock: { mode: 'for_no_key_update' } });
    if (order?.status !== 'pending' || order.renewsId === null || order.planId === null) return null;
    const ended = await this.deps.sales.lock(manager, order.renewsId);
    const card = await this.cardOf(manager, ended);
    const { accountId, planId } = ended;
    const isWanted =
      ended.renews &&
      ended.state === 'ended' &&
      !(await manager.existsBy(Subscription, { accountId, planId, state: 'active' }));
    const plan = await manager.findOneBy(Plan, { id: planId });
    const problem = isWanted ? (await this.deps.sales.renewalProblem(manager, ended, plan)) || cardProblem(card) : '';
    if (isWanted && problem === '' && card) return { order, card, isLate: this.ageOf(order) > maxAge };
    await this.chargeAt(manager, order, null);
    if (isWanted) await this.fail(manager, ended, problem);
    return null;
  }

  /** Stores the provider's number before the charge: only a stored one is charged, by whichever node. */
  private async prepared(
    order: TopUpOrder,
    { provider, charges, paidWith }: Card,
    signal: AbortSignal,
  ): Promise<TopUpOrder> {
    if (order.providerOrderId !== null) return order;
    const { database, providers } = this.deps;
    const number = await charges.prepare(order, paidWith, providers.contextOf(provider, signal));
    await database.query('UPDATE top_up_orders SET provider_order_id = coalesce(provider_order_id, $2) WHERE id = $1', [
      order.id,
      number,
    ]);
    return database.manager.findOneByOrFail(TopUpOrder, { id: order.id });
  }

  private async decline(
    manager: EntityManager,
    { id }: TopUpOrder,
    { problem, message }: ChargeRefused,
  ): Promise<void> {
    const order = await manager.findOne(TopUpOrder, { where: { id }, lock: { mode: 'for_no_key_update' } });
    if (order?.status !== 'pending' || order.renewsId === null) return;
    const ended = await this.deps.sales.lock(manager, order.renewsId);
    const days = problem === 'declined' ? retryDays[order.declines] : undefined;
    await manager.increment(TopUpOrder, { id }, 'declines', 1);
    await this.chargeAt(manager, order, days === undefined ? null : days * day);
    const at = new Date(this.deps.clock.now());
    const nobody = { payment: null, actorId: null, actorName: null };
    await recordOrderEvent(manager, order.tradeNo, { at, kind: 'failed', detail: message, ...nobody });
    const isLast = problem === 'declined' && days === undefined;
    await this.fail(manager, ended, isLast ? 'PAYMENT_FAILED' : problems[problem]);
  }

  private async fail(manager: EntityManager, ended: Subscription, problem: string): Promise<void> {
    if (problem === 'PAYMENT_FAILED' && ended.renewalProblem === problem) return;
    await this.deps.sales.failRenewal(manager, ended, problem);
    await this.deps.notify(manager, ended, { renewal: null, problem });
  }

  /** Milliseconds. */
  private ageOf({ createdAt }: TopUpOrder): number {
    return this.deps.clock.now() - createdAt.getTime();
  }

  /** @param milliseconds null: never */
  private async chargeAt(manager: EntityManager, { id }: TopUpOrder, milliseconds: number | null): Promise<void> {
    const nextChargeAt = milliseconds === null ? null : new Date(this.deps.clock.now() + milliseconds);
    await manager.update(TopUpOrder, { id, status: 'pending' }, { nextChargeAt });
  }

  /** The card that paid a subscription. Null: none was saved, or its account at the provider is not in use any more. */
  private async cardOf(manager: EntityManager, { orderId }: Subscription): Promise<Card | null> {
    const { providers, options } = this.deps;
    const paidWith =
      orderId === null
        ? null
        : await manager.findOneBy(TopUpOrder, { id: orderId, savesCard: true, status: 'success' });
    const provider = providers.list.find(({ name }) => name === paidWith?.provider);
    if (!paidWith || !provider?.cards || !provider.isConfigured(options.values)) return null;
    return provider.account(options.values) === paidWith.merchantId
      ? { provider, charges: provider.cards, paidWith }
      : null;
  }

  /** The price of today. Null: more money for a unit of quota than the buyer has paid, or another currency. */
  private async priceOf(
    manager: EntityManager,
    { accountId }: Subscription,
    plan: Plan,
    paidWith: TopUpOrder,
  ): Promise<TopUpPrice | null> {
    const method = this.deps.providers.find(paidWith.paymentMethod)?.method;
    if (method?.currency !== paidWith.currency) return null;
    const user = await manager.findOne(User, { where: { id: accountId }, withDeleted: true });
    try {
      const price = pricePlan(plan.price, user?.group ?? '', this.deps.options.values, method);
      // An unchanged price may differ by one minor unit, because it is rounded up.
      const paid = BigInt(paidWith.money) * BigInt(price.quota);
      return BigInt(price.money - 1) * BigInt(paidWith.quota) < paid ? price : null;
    } catch (error) {
      if (isAppError(error)) return null;
      throw error;
    }
  }
}

/** Returns why a card is not charged: an error code, or empty. */
function cardProblem(card: Card | null): string {
  if (!card) return 'CARD_REMOVED';
  // The buyer, or their bank, took the money back.
  return card.paidWith.refunded > 0 ? 'PAYMENT_FAILED' : '';
}
