import type { GraphQLResolveInfo } from 'graphql';
import { asksFor } from '../../graphql/asks-for.js';
import type { WantedCounters, WantedUsage } from './usage-question.js';

/** Expensive counters are read only if a selected field needs them. */
export const countersOf = (info: GraphQLResolveInfo): WantedCounters => ({
  latency: asksFor(info, 'latencyMs'),
  firstToken: asksFor(info, 'firstTokenMs'),
  cost: asksFor(info, 'cost'),
});

/** Totals and counts are read only when a field needs them. */
export const wantedOf = (info: GraphQLResolveInfo): WantedUsage => ({
  ...countersOf(info),
  total: asksFor(info, 'total'),
  compared: asksFor(info, 'comparedTotal'),
  count: asksFor(info, 'totalCount'),
  others: asksFor(info, 'others'),
});
