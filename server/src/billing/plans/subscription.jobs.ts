import type { DataSource, EntityManager } from 'typeorm';
import type { Changes } from '../../platform/cache/changes.js';
import type { Clock } from '../../shared/clock.js';
import { ScheduledJob } from '../../shared/scheduled-runs.js';
import type { Finished, PlanSales } from './plan-sales.js';
import type { Plan } from './plan.entity.js';
import type { Subscription } from './subscription.entity.js';

export interface SubscriptionKeeperDeps {
  readonly database: DataSource;
  readonly sales: PlanSales;
  readonly changes: Pick<Changes, 'announce'>;
  /** Notifies the account of the end of a subscription, in the transaction that ends it. */
  readonly notify: (manager: EntityManager, ended: Subscription, how: Finished) => Promise<void>;
  /** Orders a renewal that the card pays, in the transaction that ends the subscription. */
  readonly orderRenewal: (manager: EntityManager, ended: Subscription, plan: Plan) => Promise<void>;
  readonly clock: Clock;
  readonly logger: { warn(details: object, message: string): void };
}

/**
 * Ends subscriptions whose time is over, and renews those that are to be renewed. Every node runs it: one transaction for
 * each subscription locks its row, so one node ends and renews it, and a node that is killed leaves all or nothing.
 */
export class SubscriptionKeeper extends ScheduledJob<SubscriptionKeeperDeps> {
  protected readonly interval = 5_000;
  protected readonly failure = 'subscriptions could not be ended';
  protected override readonly runsAtStart = false;

  protected async work(): Promise<void> {
    const { database, clock } = this.deps;
    const due = await database.query<Array<{ id: number }>>(
      `SELECT id FROM subscriptions WHERE state = 'active' AND ends_at <= $1 ORDER BY ends_at LIMIT 1000`,
      [new Date(clock.now())],
    );
    for (const { id } of due) await this.finish(id);
  }

  private async finish(id: number): Promise<void> {
    const { database, sales, changes, notify, orderRenewal, clock, logger } = this.deps;
    try {
      const accountId = await database.transaction(async (manager) => {
        const old = await sales.lock(manager, id);
        if (old.state !== 'active') return null;
        const how = await sales.finish(manager, old, clock.now());
        if (how.charged) await orderRenewal(manager, old, how.charged);
        else await notify(manager, old, how);
        return old.accountId;
      });
      if (accountId !== null) await changes.announce({ kind: 'user', id: accountId });
    } catch (error) {
      // A subscription that cannot be renewed does not keep the others from being renewed.
      logger.warn({ err: error, subscription: id }, 'subscription could not be ended');
    }
  }
}
