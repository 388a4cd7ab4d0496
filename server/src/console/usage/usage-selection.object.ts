import type { GraphQLResolveInfo } from 'graphql';
import { asksFor } from '../../platform/graphql/asks-for.js';
import { holds, type MaybeActor } from '../../shared/actor.js';
import type { WantedCounters, WantedUsage } from './usage-question.js';
import { usageNames } from './usage-row.js';

/**
 * Returns the counters that selected fields need, because some are expensive. Costs that a custom role may not read are
 * never read: their field is null.
 */
export const countersOf = (info: GraphQLResolveInfo, actor: MaybeActor): WantedCounters => ({
  activeUsers: asksFor(info, 'activeUsers'),
  cache: asksFor(info, 'cache') && (!actor?.permissions || holds(actor, 'usage.read')),
  latency: asksFor(info, 'latencyMs'),
  firstToken: asksFor(info, 'firstTokenMs'),
  cost: asksFor(info, 'cost') && (!actor?.permissions || holds(actor, 'usage.read')),
});

/** Returns the selected parts. Totals and counts are read only when a field needs them. */
export const wantedOf = (info: GraphQLResolveInfo, actor: MaybeActor): WantedUsage => ({
  ...countersOf(info, actor),
  total: asksFor(info, 'total'),
  projected: asksFor(info, 'projectedTotal'),
  compared: asksFor(info, 'comparedTotal'),
  count: asksFor(info, 'totalCount'),
  others: asksFor(info, 'others'),
  names: usageNames.filter((name) => asksFor(info, name)),
});
