import type { Ledger } from '../../../billing/ledger/index.js';
import type { CallBudgets } from '../../admit/call-budgets.js';
import type { CallUse, LimitLease, LimitRefusal } from './limit-board.js';
import { millisecondsIn } from '../../../shared/clock.js';

/** The call that is about to be sent to a channel. */
export interface BudgetSeeker {
  readonly requestId: string;
  readonly model: string;
  readonly use: () => CallUse;
}

/** A budget of the channel that has no room. */
export interface BudgetRefusalOfChannel extends LimitRefusal {
  readonly isBudget: true;
}

/**
 * The budgets of channels. They are reserved with the reservation of the call before it is sent, and settled with it
 * (docs/reference/relay/budgets.md#channels).
 */
export class ChannelBudgets {
  constructor(
    private readonly budgets: CallBudgets,
    private readonly ledger: Pick<Ledger, 'addBudgets' | 'dropBudgets'>,
  ) {}

  /** Whether the channel has budgets. */
  concerns(channelId: number): boolean {
    return this.budgets.hasChannel(channelId);
  }

  /**
   * Reserves the call in the budgets.
   * @returns a lease whose `cancel` releases the reservation; null when nothing was reserved
   * @throws AppError SERVICE_UNAVAILABLE
   */
  async enter(
    channelId: number,
    { requestId, model, use }: BudgetSeeker,
  ): Promise<Pick<LimitLease, 'cancel'> | BudgetRefusalOfChannel | null> {
    const budgeted = this.budgets.ofChannel(channelId, model);
    if (!budgeted) return null;
    const { quota, tokens } = use();
    const holds = budgeted.holds({ money: quota, tokens });
    if (!holds) return null;
    const refusal = await this.ledger.addBudgets(requestId, holds);
    if (refusal) {
      this.budgets.refusedChannel(refusal);
      return { scope: 'channel', retryAt: millisecondsIn(refusal.freesAt), isBudget: true };
    }
    return { cancel: () => void this.ledger.dropBudgets(requestId, holds) };
  }
}
