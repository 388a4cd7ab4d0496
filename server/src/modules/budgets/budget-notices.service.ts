import type { DataSource, Repository } from 'typeorm';
import { budgetWindowAt, type BudgetWindow } from '../../shared/budget.js';
import type { Clock } from '../../shared/clock.js';
import { formatQuota } from '../../shared/quota.js';
import type { Notice } from '../notifications/delivery.service.js';
import type { Budget } from './budget.entity.js';
import { readBudgetStates, type BudgetState } from './budget-states.service.js';

/** The percentages of a budget of which its user is informed. */
const percentages = [100, 80, 50] as const;

export interface BudgetNoticeDeps {
  readonly budgets: Repository<Budget>;
  readonly database: Pick<DataSource, 'query'>;
  readonly notices: { notifyUser(userId: number, notice: Notice): void; notifyRoot(notice: Notice): void };
  readonly options: { readonly values: { readonly QuotaPerUnit: number; readonly DisplayInCurrencyEnabled: boolean } };
  readonly clock: Clock;
  readonly logger: { warn(details: object, message: string): void };
}

const milliseconds = 30_000;
const batch = 500;

/**
 * Sends a notice when 50, 80 and 100 percent of a budget are used, once for each percentage and window. Reads the windows
 * periodically, so that calls do nothing for it. Every node runs it; the row of the budget decides which one sends.
 */
export class BudgetNotices {
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> | null = null;

  constructor(private readonly deps: BudgetNoticeDeps) {}

  start(): void {
    this.timer = setInterval(() => {
      this.running ??= this.round().finally(() => (this.running = null));
    }, milliseconds);
    this.timer.unref();
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.running;
  }

  /** Looks at all budgets once. Never throws: the next round tries again. */
  async round(): Promise<void> {
    try {
      for (let after = 0; ;) {
        const budgets = await this.deps.budgets
          .createQueryBuilder('budget')
          .where(`budget.id > :after AND budget.enabled AND budget.amount > 0 AND budget.span <> 'minute'`, { after })
          .orderBy('budget.id')
          .limit(batch)
          .getMany();
        await this.look(budgets);
        after = budgets.at(-1)?.id ?? 0;
        if (budgets.length < batch) return;
      }
    } catch (error) {
      this.deps.logger.warn({ err: error }, 'notices of budgets could not be sent');
    }
  }

  private async look(budgets: readonly Budget[]): Promise<void> {
    const now = this.deps.clock.now();
    const states = await readBudgetStates(this.deps.database, budgets, now);
    for (const budget of budgets) {
      const state = states.get(budget.id);
      const percent = state && percentages.find((one) => state.used * 100 >= budget.amount * one);
      const window = percent === undefined ? null : budgetWindowAt(budget, now);
      if (state && percent !== undefined && window && (await this.claim(budget.id, window, percent))) {
        await this.send(budget, state, percent);
      }
    }
  }

  /**
   * Whether this node sends the notice. The window of the last one is over when it is before the first window that counts:
   * a rolling window has left it behind.
   */
  private async claim(id: number, { start, from }: BudgetWindow, percent: number): Promise<boolean> {
    const [rows] = await this.deps.database.query<[unknown[], number]>(
      `UPDATE budgets SET notice_window = $2, notice_percent = $4
        WHERE id = $1 AND (notice_window < $3 OR notice_percent < $4) RETURNING id`,
      [id, start, from, percent],
    );
    return rows.length > 0;
  }

  private async send(budget: Budget, state: BudgetState, percent: number): Promise<void> {
    const { owner, name } = await this.subject(budget);
    const used = this.amount(budget, state.used);
    const whole = this.amount(budget, budget.amount);
    const reset = state.end === null ? '' : ` It resets at ${new Date(state.end * 1000).toISOString()}.`;
    const notice = {
      type: `budget_${budget.id}_${percent}`,
      title: percent === 100 ? 'A budget is used up' : `${percent}% of a budget is used`,
      content: `${percent}% of the budget of {{value}} is used: {{value}} of {{value}}.${reset}`,
      values: [name, used, whole],
    };
    if (owner === null) this.deps.notices.notifyRoot(notice);
    else this.deps.notices.notifyUser(owner, notice);
  }

  /** The receiver, or null for root, and the name in the text. */
  private async subject({ level, subjectId, groupName }: Budget): Promise<{ owner: number | null; name: string }> {
    if (level === 'site') return { owner: null, name: 'the site' };
    if (level === 'group') return { owner: null, name: `the group ${groupName}` };
    if (level === 'user') return { owner: subjectId, name: 'your account' };
    const text =
      level === 'token'
        ? 'SELECT user_id AS owner, name FROM tokens WHERE id = $1'
        : 'SELECT NULL::integer AS owner, name FROM channels WHERE id = $1';
    const [row] = await this.deps.database.query<Array<{ owner: number | null; name: string }>>(text, [subjectId]);
    return { owner: row?.owner ?? null, name: `the ${level} ${row?.name ?? subjectId}` };
  }

  private amount({ kind }: Budget, amount: number): string {
    if (kind !== 'money') return `${amount} ${kind}`;
    const { QuotaPerUnit, DisplayInCurrencyEnabled } = this.deps.options.values;
    return formatQuota(amount, { quotaPerUnit: QuotaPerUnit, inCurrency: DisplayInCurrencyEnabled });
  }
}
