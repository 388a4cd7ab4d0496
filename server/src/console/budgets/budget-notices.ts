import type { DataSource, Repository } from 'typeorm';
import { budgetWindowAt, type BudgetWindow } from '../../shared/budget.js';
import type { Clock } from '../../shared/clock.js';
import { ScheduledJob } from '../../shared/scheduled-runs.js';
import { formatQuota } from '../../shared/quota.js';
import { recordSiteEvent } from '../../shared/site-events.js';
import type { Notice } from '../notifications/index.js';
import { type Budget, type BudgetRefusals, type BudgetState, readBudgetStates } from '../../billing/budgets/index.js';

/** The percentages of a budget at which its user is notified. */
const percentages = [100, 80, 50] as const;
/** The lowest one for a window of a plan. */
const leastOfPlan = 80;

export interface BudgetNoticeDeps {
  readonly budgets: Repository<Budget>;
  readonly database: Pick<DataSource, 'query' | 'transaction'>;
  readonly notices: { notifyUser(userId: number, notice: Notice): void; notifyRoot(notice: Notice): void };
  readonly options: { readonly values: { readonly QuotaPerUnit: number; readonly DisplayInCurrencyEnabled: boolean } };
  /** The refusals of this node. */
  readonly refusals: BudgetRefusals;
  readonly clock: Clock;
  readonly logger: { warn(details: object, message: string): void };
}

/** Receiver and name of the subject of a budget, by its id. */
const subjectSql = {
  token: 'SELECT user_id AS owner, name FROM tokens WHERE id = $1',
  member: `SELECT m.organisation_id AS owner, coalesce(u.username, '') AS name
             FROM memberships m LEFT JOIN users u ON u.id = m.user_id WHERE m.id = $1`,
  project: 'SELECT organisation_id AS owner, name FROM projects WHERE id = $1',
  channel: 'SELECT NULL::integer AS owner, name FROM channels WHERE id = $1',
  plan: `SELECT account_id AS owner, terms ->> 'name' AS name FROM subscriptions WHERE id = $1`,
} as const;

/** Windows of plans are rows of budgets of a level that no budget of an operator has. */
const isOfPlan = ({ level }: { readonly level: string }): boolean => level === 'plan';

const batch = 500;

/**
 * Sends a notice when 50, 80 and 100 percent of a budget are used, once for each percentage and window. A budget that
 * refused a call, because too little is left of it, counts as used up. Reads the windows periodically, so that calls do
 * nothing for it. Every node runs it; the row of the budget decides which one sends.
 */
export class BudgetNotices extends ScheduledJob<BudgetNoticeDeps> {
  protected readonly interval = 30_000;
  protected readonly failure = 'notices of budgets could not be sent';
  protected override readonly runsAtStart = false;

  protected async work(): Promise<void> {
    const refused = this.deps.refusals.take();
    try {
      for (let after = 0; ;) {
        const budgets = await this.deps.budgets
          .createQueryBuilder('budget')
          .where(
            `budget.id > :after AND budget.enabled AND budget.amount > 0 AND budget.span <> 'minute' AND (budget.level <> 'plan'
              OR EXISTS (SELECT FROM subscriptions s WHERE s.id = budget.subject_id AND s.state = 'active'))`,
            { after },
          )
          .orderBy('budget.id')
          .limit(batch)
          .getMany();
        await this.look(budgets, refused);
        after = budgets.at(-1)?.id ?? 0;
        if (budgets.length < batch) return;
      }
    } catch (error) {
      for (const [id, left] of refused) this.deps.refusals.note(id, left);
      throw error;
    }
  }

  private async look(budgets: readonly Budget[], refused: ReadonlyMap<number, number>): Promise<void> {
    const now = this.deps.clock.now();
    const states = await readBudgetStates(this.deps.database, budgets, now);
    for (const budget of budgets) {
      const state = states.get(budget.id);
      const percent = state && this.percentOf(budget, state, refused.get(budget.id));
      const window = percent === undefined ? null : budgetWindowAt(budget, now);
      if (state && percent !== undefined && window && (await this.claim(budget, state, window, percent))) {
        await this.send(budget, state, percent);
      }
    }
  }

  /**
   * Returns the percentage that is reached.
   * @param refusedAt the amount left that was too little for a call
   */
  private percentOf(budget: Budget, { used, held }: BudgetState, refusedAt = -1): number | undefined {
    const { id, amount } = budget;
    if (amount - used <= refusedAt) return 100;
    // The next run decides, because running calls may have released a part by then.
    if (held > 0 && refusedAt >= 0) this.deps.refusals.note(id, refusedAt);
    const least = isOfPlan(budget) ? leastOfPlan : 0;
    return percentages.find((one) => one >= least && used * 100 >= amount * one);
  }

  /**
   * Claims a notice for this node, and writes the event of a used-up budget with it. The window of the last notice is over when it is before the first window that
   * counts: a rolling window has moved past it.
   */
  private claim(
    budget: Budget,
    { used, end }: BudgetState,
    { start, from }: BudgetWindow,
    percent: number,
  ): Promise<boolean> {
    return this.deps.database.transaction(async (manager) => {
      const [rows] = await manager.query<[unknown[], number]>(
        `UPDATE budgets SET notice_window = $2, notice_percent = $4
          WHERE id = $1 AND (notice_window < $3 OR notice_percent < $4) RETURNING id`,
        [budget.id, start, from, percent],
      );
      if (rows.length > 0 && percent === 100 && !isOfPlan(budget)) {
        const { id, level, subjectId, groupName: group, kind, amount } = budget;
        const resets = end?.toISOString() ?? null;
        await recordSiteEvent(manager, 'budget.used_up', {
          budget: { id, level, subject_id: subjectId, group, kind, amount, used, resets_at: resets },
        });
      }
      return rows.length > 0;
    });
  }

  private async send(budget: Budget, state: BudgetState, percent: number): Promise<void> {
    const { owner, name } = await this.subject(budget);
    const used = this.amount(budget, state.used);
    const whole = this.amount(budget, budget.amount);
    const reset = state.end === null ? '' : ` It resets at ${state.end.toISOString()}.`;
    const texts =
      percent === 100 && state.used < budget.amount
        ? {
            title: 'A budget refuses calls',
            content: `Too little is left of the budget of {{value}} for a call: {{value}} of {{value}} is used.${reset}`,
          }
        : {
            title: percent === 100 ? 'A budget is used up' : `${percent}% of a budget is used`,
            content: `${percent}% of the budget of {{value}} is used: {{value}} of {{value}}.${reset}`,
          };
    const notice = { type: `budget_${budget.id}_${percent}`, ...texts, values: [name, used, whole] };
    if (owner === null) this.deps.notices.notifyRoot(notice);
    else this.deps.notices.notifyUser(owner, notice);
  }

  /** Returns the receiver, or null for root, and the name in the text. */
  private async subject({ level, subjectId, groupName }: Budget): Promise<{ owner: number | null; name: string }> {
    if (level === 'site') return { owner: null, name: 'the site' };
    if (level === 'group') return { owner: null, name: `the group ${groupName}` };
    if (level === 'user') return { owner: subjectId, name: 'your account' };
    const [row] = await this.deps.database.query<Array<{ owner: number | null; name: string }>>(subjectSql[level], [
      subjectId,
    ]);
    return { owner: row?.owner ?? null, name: `the ${level} ${row?.name ?? subjectId}` };
  }

  private amount({ kind }: Budget, amount: number): string {
    if (kind !== 'money') return `${amount} ${kind}`;
    return formatQuota(amount, this.deps.options.values);
  }
}
