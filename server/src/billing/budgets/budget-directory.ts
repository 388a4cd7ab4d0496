import type { Changes } from '../../platform/cache/changes.js';
import type { KnownBudget } from '../../shared/budget.js';
import {
  knownBudgetJson,
  noBudgets,
  toKnownBudget,
  toKnownBudgets,
  toKnownRates,
  type KnownBudgetRow,
} from './known-budget.js';
import { millisecondsIn } from '../../shared/clock.js';

interface Queries {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
}

interface DirectoryLogger {
  warn(details: object, message: string): void;
}

/** The budgets of a key, a user, a group or the site. */
export interface LevelBudgets {
  readonly budgets: readonly KnownBudget[];
  /** Limits per minute, which the ledger does not count. */
  readonly rates: readonly KnownBudget[];
}

const none: LevelBudgets = { budgets: noBudgets, rates: noBudgets };

/**
 * The budgets of groups, channels and the site, in memory. Budgets of keys, members, projects and users are read
 * with the key and the user. All budgets are read again when a change is announced, and periodically, so that a lost announcement has no
 * lasting effect.
 */
export class BudgetDirectory {
  /** Whether no group, no channel and not the site has a budget. Every call reads this flag. */
  isEmpty = true;
  private groups = new Map<string, LevelBudgets>();
  private channels = new Map<number, readonly KnownBudget[]>();
  private ofSite: LevelBudgets = none;
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
    this.timer = setInterval(() => void this.reload(), millisecondsIn(syncSeconds));
    this.timer.unref();
    await this.read();
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
  }

  get site(): LevelBudgets {
    return this.ofSite;
  }

  group(name: string): LevelBudgets {
    return this.groups.size === 0 ? none : (this.groups.get(name) ?? none);
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
        WHERE b.level NOT IN ('token', 'member', 'project', 'user', 'plan') AND b.enabled ORDER BY b.id`,
    )) as Array<{ budget: KnownBudgetRow }>;
    if (turn < this.used) return;
    this.used = turn;
    const groups = new Map<string, KnownBudgetRow[]>();
    const channels = new Map<number, KnownBudget[]>();
    const site: KnownBudgetRow[] = [];
    for (const { budget } of rows) {
      const { level } = budget;
      switch (level) {
        case 'group':
          add(groups, budget.groupName, budget);
          break;
        case 'channel':
          add(channels, budget.subjectId, toKnownBudget(budget));
          break;
        case 'site':
          site.push(budget);
          break;
        case 'token':
        case 'member':
        case 'project':
        case 'user':
        case 'plan':
          break;
        default:
          level satisfies never;
      }
    }
    this.isEmpty = rows.length === 0;
    this.groups = new Map([...groups].map(([name, budgets]) => [name, sharedBudgets(budgets)]));
    this.channels = channels;
    this.ofSite = sharedBudgets(site);
  }
}

const sharedBudgets = (rows: readonly KnownBudgetRow[]): LevelBudgets => ({
  budgets: toKnownBudgets(rows),
  rates: toKnownRates(rows),
});

function add<Key, Each>(lists: Map<Key, Each[]>, key: Key, budget: Each): void {
  const list = lists.get(key);
  if (list) list.push(budget);
  else lists.set(key, [budget]);
}
