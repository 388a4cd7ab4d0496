import type { EntityManager } from 'typeorm';
import { recordSiteEvent, type SiteEventData } from '../../shared/site-events.js';
import { Subscription } from './subscription.entity.js';

/** The events of subscriptions. */
type PlanEvent = 'plan.bought' | 'plan.renewed' | 'plan.ended' | 'plan.refunded';

/** Writes an event of a subscription as it is now. */
export async function recordPlanEvent(manager: EntityManager, kind: PlanEvent, id: number): Promise<void> {
  const { accountId, planId, terms, startsAt, endsAt, ...sold } = await manager.findOneByOrFail(Subscription, { id });
  const [row] = await manager.query<Array<{ user: SiteEventData<PlanEvent>['user'] }>>(
    'SELECT event_user(users) AS user FROM users WHERE id = $1',
    [accountId],
  );
  await recordSiteEvent(manager, kind, {
    user: row?.user ?? { id: accountId, username: null, external_id: null },
    plan: {
      id,
      plan_id: planId,
      name: terms.name,
      origin: sold.origin,
      starts_at: startsAt.toISOString(),
      ends_at: endsAt.toISOString(),
      paid: sold.paid,
      returned: sold.refunded,
      renews: sold.renews,
      renewal_problem: sold.renewalProblem,
    },
  });
}
