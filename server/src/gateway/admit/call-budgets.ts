import type { BudgetDirectory, BudgetRefusals } from '../../billing/budgets/index.js';
import { BudgetError, type BudgetHold, type BudgetRefusal } from '../../billing/ledger/index.js';
import { budgetWindowAt, countsModel, type BudgetWindow, type KnownBudget } from '../../shared/budget.js';
import type { Clock } from '../../shared/clock.js';
import type { Caller } from './authentication.js';

/** The amounts that a call takes of its budgets. */
export interface BudgetUse {
  /** Quota. */
  readonly money: number;
  /** Prompt and output together. */
  readonly tokens: number;
}

/** Finds the budgets of calls (docs/reference/relay/budgets.md). Calls that no budget can count need not ask. */
export class CallBudgets {
  private readonly windows = new WeakMap<KnownBudget, BudgetWindow>();

  constructor(
    private readonly directory: BudgetDirectory,
    private readonly clock: Clock,
    private readonly refusals: BudgetRefusals,
  ) {}

  /**
   * Budgets of the key, the user, the group that pays and the site.
   * @returns null without any
   */
  of({ user, token }: Caller, group: string, model: string): CountingBudgets | null {
    const { directory } = this;
    const ofGroup = directory.group(group);
    const { site } = directory;
    if (token.budgets.length + user.budgets.length + ofGroup.length + site.length === 0) return null;
    return this.counting([...token.budgets, ...user.budgets, ...ofGroup, ...site], model);
  }

  /** Limits of a minute of the key, the user, the group that pays and the site. Null without any. */
  rates({ user, token }: Caller, group: string, model: string): readonly KnownBudget[] | null {
    const { directory } = this;
    const ofGroup = directory.ratesOf(group);
    const { siteRates } = directory;
    if (token.rates.length + user.rates.length + ofGroup.length + siteRates.length === 0) return null;
    const counting = [...token.rates, ...user.rates, ...ofGroup, ...siteRates].filter(({ models }) =>
      countsModel(models, model),
    );
    return counting.length === 0 ? null : counting;
  }

  /** Whether a channel has budgets for some model. */
  hasChannel(channelId: number): boolean {
    return this.directory.channel(channelId).length > 0;
  }

  /** @returns null without any */
  ofChannel(channelId: number, model: string): CountingBudgets | null {
    const budgets = this.directory.channel(channelId);
    return budgets.length === 0 ? null : this.counting(budgets, model);
  }

  /** Leaves a note for the notices. @param error by which a reservation failed for good; other errors are left out */
  refused(error: unknown): void {
    if (error instanceof BudgetError) this.refusals.note(error.hold.budgetId, error.available);
  }

  /** The same where the call goes to another channel. */
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
    if (known && now < known.end * 1000 && now >= known.start * 1000) return known;
    const window = budgetWindowAt(budget, now);
    if (window) this.windows.set(budget, window);
    return window;
  }

  private counting(budgets: readonly KnownBudget[], model: string): CountingBudgets | null {
    const counting = budgets.filter(({ models }) => countsModel(models, model));
    return counting.length === 0 ? null : new CountingBudgets(counting, this);
  }
}

/** The budgets that count one call. */
export class CountingBudgets {
  constructor(
    readonly budgets: readonly KnownBudget[],
    private readonly calls: CallBudgets,
  ) {}

  /** Whether the tokens of the call must be known before it. */
  get countsTokens(): boolean {
    return this.budgets.some(({ kind }) => kind === 'tokens');
  }

  /** The windows that are open now. @returns undefined without any */
  holds(use: BudgetUse): readonly BudgetHold[] | undefined {
    const holds: BudgetHold[] = [];
    const askedAt = this.calls.now();
    for (const budget of this.budgets) {
      const window = this.calls.window(budget);
      if (!window) continue;
      const { start, from, end, lifetime } = window;
      const amount = budget.kind === 'requests' ? 1 : use[budget.kind];
      holds.push({ budgetId: budget.id, kind: budget.kind, start, from, end, lifetime, amount, askedAt });
    }
    return holds.length === 0 ? undefined : holds;
  }
}
