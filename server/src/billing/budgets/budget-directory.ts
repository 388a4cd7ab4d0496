import type { Changes } from '../../platform/cache/changes.js';
import { isRate, type KnownBudget } from '../../shared/budget.js';
import { knownBudgetJson, noBudgets, toKnownBudget, type KnownBudgetRow } from './known-budget.js';

interface Queries {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
}

interface DirectoryLogger {
  warn(details: object, message: string): void;
}

/**
 * The budgets of groups, channels and the site, in memory. Budgets of keys and users are read with the key and the
 * user. All budgets are read again when a change is announced, and periodically, so that a lost announcement has no
 * lasting effect.
 */
export class BudgetDirectory {
  /** Whether no group, no channel and not the site has a budget. Every call reads this flag. */
  isEmpty = true;
  private groups = new Map<string, readonly KnownBudget[]>();
  private channels = new Map<number, readonly KnownBudget[]>();
  private ofSite = noBudgets;
  private groupRates = new Map<string, readonly KnownBudget[]>();
  private ratesOfSite = noBudgets;
  private timer: NodeJS.Timeout | null = null;
  /**
   * Numbers of the latest read that has begun, and of the read whose budgets are in use. A read that began earlier may
   * end later.
   */
  private begun = 0;
  private used = 0;

  constructor(
    private readonly database: Queries,
    private readonly logger: DirectoryLogger,
  ) {}

  /** @param syncSeconds interval of complete reads */
  async start(changes: Changes, syncSeconds: number): Promise<void> {
    changes.on('budget', () => this.reload());
    this.timer = setInterval(() => void this.reload(), syncSeconds * 1000);
    this.timer.unref();
    await this.read();
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
  }

  get site(): readonly KnownBudget[] {
    return this.ofSite;
  }

  group(name: string): readonly KnownBudget[] {
    return this.groups.size === 0 ? noBudgets : (this.groups.get(name) ?? noBudgets);
  }

  /** Limits per minute of the site. */
  get siteRates(): readonly KnownBudget[] {
    return this.ratesOfSite;
  }

  /** Returns the limits per minute of a group. */
  ratesOf(group: string): readonly KnownBudget[] {
    return this.groupRates.size === 0 ? noBudgets : (this.groupRates.get(group) ?? noBudgets);
  }

  channel(id: number): readonly KnownBudget[] {
    return this.channels.size === 0 ? noBudgets : (this.channels.get(id) ?? noBudgets);
  }

  private async reload(): Promise<void> {
    try {
      await this.read();
    } catch (error) {
      // The current copy stays in use. The next periodic read retries.
      this.logger.warn({ err: error }, 'budgets could not be reloaded');
    }
  }

  private async read(): Promise<void> {
    const turn = ++this.begun;
    const rows = (await this.database.query(
      `SELECT ${knownBudgetJson} AS budget FROM budgets b
        WHERE b.level IN ('group', 'channel', 'site') AND b.enabled ORDER BY b.id`,
    )) as Array<{ budget: KnownBudgetRow }>;
    if (turn < this.used) return;
    this.used = turn;
    const groups = new Map<string, KnownBudget[]>();
    const channels = new Map<number, KnownBudget[]>();
    const site: KnownBudget[] = [];
    const groupRates = new Map<string, KnownBudget[]>();
    const siteRates: KnownBudget[] = [];
    for (const { budget } of rows) {
      const known = toKnownBudget(budget);
      const rate = isRate(known);
      if (known.level === 'group') add(rate ? groupRates : groups, budget.group_name, known);
      else if (known.level === 'channel') add(channels, budget.subject_id, known);
      else (rate ? siteRates : site).push(known);
    }
    this.isEmpty = rows.length === 0;
    this.groups = groups;
    this.channels = channels;
    this.ofSite = site.length === 0 ? noBudgets : site;
    this.groupRates = groupRates;
    this.ratesOfSite = siteRates.length === 0 ? noBudgets : siteRates;
  }
}

function add<Key>(lists: Map<Key, KnownBudget[]>, key: Key, budget: KnownBudget): void {
  const list = lists.get(key);
  if (list) list.push(budget);
  else lists.set(key, [budget]);
}
