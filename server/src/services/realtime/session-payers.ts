import { balancePayer, type SessionPayer, SubscriptionEndedError } from '../../billing/ledger/index.js';
import type { Caller } from '../../gateway/admit/authentication.js';
import type { CallBudgets, CallPlan, CountingBudgets } from '../../gateway/admit/call-budgets.js';
import type { PlanPayment } from '../../gateway/call.js';
import { overflowNote, overflowPart, payByPlan } from '../../gateway/reserve/plan-payment.js';
import { isOfPlan } from '../../gateway/reserve/reserve.js';
import type { CallRoute } from '../../gateway/route/call-route.js';

/** A way to pay for a turn. */
export interface TurnPayment {
  readonly payer: SessionPayer;
  /** Returns the part of an amount that it charges. */
  readonly partOf: (amount: number) => number;
  /** Whether a refusal means that another payer is asked for the whole turn. */
  readonly isWhole: (error: unknown) => boolean;
}

/** Finds who pays for each turn of a session: its plans are asked as for a call (docs/reference/relay/plans.md). */
export class SessionPayers {
  /** The payer of the last turn that had a price. */
  private last = balancePayer.name;

  constructor(
    private readonly budgets: CallBudgets,
    private readonly route: Pick<CallRoute, 'group' | 'bareModel'>,
    private readonly groupRatio: number,
  ) {}

  /**
   * Reserves a turn. A turn that costs nothing is in the log row of the turn before.
   * @param caller as they are now
   * @param isTime whether it is the time of the session, which plans of requests only cannot count
   * @throws like `reserve`
   */
  async pay<Result>(
    caller: Caller,
    isPriced: boolean,
    reserve: (payment: TurnPayment) => Promise<Result>,
    isTime = false,
  ): Promise<Result> {
    const { group, bareModel } = this.route;
    const own = this.budgets.of(caller, group, bareModel);
    if (!isPriced) return reserve(paymentOf({ ...payerOf(own), name: this.last }, null));
    const plans = this.budgets.plansFor(caller, group, bareModel, own) ?? [];
    const able = isTime ? plans.filter(({ windows }) => !countsOnlyRequests(windows)) : plans;
    return payByPlan(able, async (payment) => {
      const payer = this.payerFor(payment, own);
      const result = await reserve(paymentOf(payer, payment));
      this.last = payer.name;
      return result;
    });
  }

  /** Returns the balance as the payer. */
  balance(caller: Caller): SessionPayer {
    return payerOf(this.budgets.of(caller, this.route.group, this.route.bareModel));
  }

  private payerFor(payment: PlanPayment | null, own: CountingBudgets | null): SessionPayer {
    if (!payment) return payerOf(own);
    const { id, windows, budgets } = payment.plan;
    if (!payment.isPaidByPlan) {
      const groupRatio = overflowPart(this.groupRatio, payment);
      return { ...payerOf(own), name: `overflow-${id}`, groupRatio, overflow: overflowNote(payment) };
    }
    const holds: SessionPayer['holds'] = (money, tokens) => {
      const found = budgets.holds({ money, tokens }) ?? [];
      // A plan without an open window has ended.
      if (!found.some(({ budgetId }) => windows.some((window) => window.id === budgetId))) {
        throw new SubscriptionEndedError(id);
      }
      return found;
    };
    return { name: `plan-${id}`, subscriptionId: id, holds, countsOnlyRequests: countsOnlyRequests(windows) };
  }
}

const countsOnlyRequests = (windows: CallPlan['windows']): boolean => windows.every(({ kind }) => kind === 'requests');

const payerOf = (budgets: CountingBudgets | null): SessionPayer =>
  budgets ? { ...balancePayer, holds: (money, tokens) => budgets.holds({ money, tokens }) } : balancePayer;

const paymentOf = (payer: SessionPayer, payment: PlanPayment | null): TurnPayment => ({
  payer,
  partOf: (amount) => Math.ceil(overflowPart(amount, payment)),
  isWhole: (error) =>
    payment !== null && payment.isPaidByPlan && !payment.mayBeLimited && isOfPlan(payment.plan, error),
});
