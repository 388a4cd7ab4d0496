import type { BudgetDirectory, BudgetRefusals, LevelBudgets } from '../../billing/budgets/index.js';
import { BudgetError, type BudgetHold, type BudgetRefusal } from '../../billing/ledger/index.js';
import {
  budgetWindowAt,
  countsModel,
  type BudgetLevel,
  type BudgetWindow,
  type KnownBudget,
} from '../../shared/budget.js';
import type { KnownPlan } from '../../billing/plans/index.js';
import { millisecondsIn, type Clock } from '../../shared/clock.js';
import type { Caller } from './authentication.js';

/** The amounts that a call adds to its budgets. */
export interface BudgetUse {
  /** Quota. */
  readonly money: number;
  /** Prompt and output tokens together. */
  readonly tokens: number;
  /** 1 when absent. Each line of a batch is a request. */
  readonly requests?: number;
}

/** A plan that may pay for a call, with its windows. */
export interface CallPlan extends KnownPlan {
  readonly budgets: CountingBudgets;
}

type LevelOf = (caller: Caller, directory: BudgetDirectory, group: string) => LevelBudgets;

/**
 * The budgets of a call by level. Those of members and projects are read with the key. Those of channels are found for each attempt. `isBudgeted` in
 * gateway/prepare-call.ts asks the levels that are not in the directory, before this file is entered.
 */
const levels: Readonly<Record<Exclude<BudgetLevel, 'member' | 'project' | 'channel'>, LevelOf>> = {
  token: ({ token }) => token,
  user: ({ user }) => user,
  group: (_caller, directory, group) => directory.group(group),
  site: (_caller, directory) => directory.site,
};
const allLevels = Object.values(levels);

/** Finds the budgets of calls (docs/reference/relay/budgets.md). Callers skip it for calls that no budget can count. */
export class CallBudgets {
  private readonly windows = new WeakMap<KnownBudget, BudgetWindow>();

  constructor(
    private readonly directory: BudgetDirectory,
    private readonly clock: Clock,
    private readonly refusals: BudgetRefusals,
  ) {}

  /**
   * Finds the budgets of the key, the user, the group that pays and the site.
   * @returns null when there are none
   */
  of(caller: Caller, group: string, model: string): CountingBudgets | null {
    const budgets = this.found('budgets', caller, group, model);
    return budgets && new CountingBudgets(budgets, this);
  }

  /**
   * Finds the limits per minute of the key, the user, the group that pays and the site.
   * @returns null when there are none
   */
  rates(caller: Caller, group: string, model: string): readonly KnownBudget[] | null {
    return this.found('rates', caller, group, model);
  }

  /**
   * Finds the plans that may pay for a call, in order, with the budgets that count it as well.
   * @param budgets as `of` returns them
   * @returns null when there are none
   */
  plansFor(caller: Caller, group: string, model: string, budgets: CountingBudgets | null): readonly CallPlan[] | null {
    const found = caller.user.plans.filter(
      ({ groups, models }) => (groups.length === 0 || groups.includes(group)) && countsModel(models, model),
    );
    if (found.length === 0) return null;
    return found.map((plan) => ({
      ...plan,
      budgets: new CountingBudgets([...(budgets?.budgets ?? []), ...plan.windows], this),
    }));
  }

  /** Whether a channel has budgets for some model. */
  hasChannel(channelId: number): boolean {
    return this.directory.channel(channelId).length > 0;
  }

  /**
   * Finds the budgets of a channel.
   * @returns null when there are none
   */
  ofChannel(channelId: number, model: string): CountingBudgets | null {
    const budgets = this.directory.channel(channelId).filter(({ models }) => countsModel(models, model));
    return budgets.length === 0 ? null : new CountingBudgets(budgets, this);
  }

  /**
   * Records a refusal by a budget, so that its owner is notified.
   * @param error the failure of a reservation; errors of other causes are ignored
   */
  refused(error: unknown): void {
    if (error instanceof BudgetError) this.refusals.note(error.hold.budgetId, error.available);
  }

  /** Records that a channel's budget refused a call which then went to another channel. */
  refusedChannel({ budgetId, left }: BudgetRefusal): void {
    this.refusals.note(budgetId, left);
  }

  now(): number {
    return this.clock.now();
  }

  /** The window of a budget now, null outside a fixed range. */
  window(budget: KnownBudget): BudgetWindow | null {
    const now = this.now();
    const known = this.windows.get(budget);
    if (known && now < millisecondsIn(known.end) && now >= millisecondsIn(known.start)) return known;
    const window = budgetWindowAt(budget, now);
    if (window) this.windows.set(budget, window);
    return window;
  }

  private found(kind: keyof LevelBudgets, caller: Caller, group: string, model: string): KnownBudget[] | null {
    let found: KnownBudget[] | null = null;
    for (const level of allLevels) {
      for (const budget of level(caller, this.directory, group)[kind]) {
        if (countsModel(budget.models, model)) (found ??= []).push(budget);
      }
    }
    return found;
  }
}

/** The budgets that count one call. */
export class CountingBudgets {
  constructor(
    readonly budgets: readonly KnownBudget[],
    private readonly calls: CallBudgets,
  ) {}

  /** Unix milliseconds. */
  now(): number {
    return this.calls.now();
  }

  /** Whether the tokens of the call must be known before the call is sent. */
  get countsTokens(): boolean {
    return this.budgets.some(({ kind }) => kind === 'tokens');
  }

  /**
   * Reserves the use in the windows that are open now.
   * @returns undefined when none is open
   */
  holds(use: BudgetUse): readonly BudgetHold[] | undefined {
    const holds: BudgetHold[] = [];
    const askedAt = this.calls.now();
    for (const budget of this.budgets) {
      const window = this.calls.window(budget);
      if (!window) continue;
      const { start, from, end, lifetime } = window;
      const amount = budget.kind === 'requests' ? (use.requests ?? 1) : use[budget.kind];
      holds.push({ budgetId: budget.id, kind: budget.kind, start, from, end, lifetime, amount, askedAt });
    }
    return holds.length === 0 ? undefined : holds;
  }
}
