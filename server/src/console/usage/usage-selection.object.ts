import type { GraphQLResolveInfo } from 'graphql';
import { asksFor } from '../../platform/graphql/asks-for.js';
import { holds, type MaybeActor } from '../../shared/actor.js';
import type { WantedCounters, WantedUsage } from './usage-question.js';
import { usageNames } from './usage-row.js';

/** Fields of plain numbers, with the columns that they are computed from. */
const plainFields: Readonly<Record<string, readonly string[]>> = {
  calls: ['calls'],
  streamCalls: ['stream_calls'],
  failedCalls: ['failed_calls'],
  errorRate: ['calls', 'failed_calls'],
  promptTokens: ['prompt_tokens'],
  completionTokens: ['completion_tokens'],
  callsPerMinute: ['calls'],
  tokensPerMinute: ['prompt_tokens', 'completion_tokens'],
  totalTokens: ['prompt_tokens', 'completion_tokens'],
  cachedTokens: ['cached_tokens'],
  cachedShare: ['cached_tokens', 'prompt_tokens'],
  averageMs: ['calls', 'duration_ms'],
  coverage: ['calls'],
};

/** Returns the columns of plain numbers that selected fields need. Rows of equal rank are sorted by quota. */
const plainOf = (info: GraphQLResolveInfo): string[] => [
  'quota',
  ...Object.entries(plainFields).flatMap(([field, columns]) => (asksFor(info, field) ? columns : [])),
];

/**
 * Returns the counters that selected fields need, because some are expensive. Costs that a custom role may not read are
 * never read: their field is null.
 */
export const countersOf = (info: GraphQLResolveInfo, actor: MaybeActor): WantedCounters => ({
  plain: plainOf(info),
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
