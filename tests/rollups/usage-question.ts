import {
  emptyQuestion,
  type UsageDimension,
  type UsageQuestion,
  type WantedUsage,
} from '../../server/src/console/usage/usage-question.js';
import type { UsageRow } from '../../server/src/console/usage/usage-row.js';

/** A dimension, or a bucket of time. */
export type Grouping = UsageDimension | 'DAY' | 'HOUR';

export const questionOf = (groupBy: readonly Grouping[]): UsageQuestion => ({
  ...emptyQuestion,
  groupBy: groupBy.filter((name): name is UsageDimension => name !== 'DAY' && name !== 'HOUR'),
  bucket: groupBy.includes('DAY') ? 'DAY' : groupBy.includes('HOUR') ? 'HOUR' : null,
});

export const detail = (latency: boolean): WantedUsage => ({
  latency,
  firstToken: false,
  cost: false,
  total: false,
  compared: false,
  count: true,
  others: true,
  activeUsers: false,
  cache: false,
  projected: false,
});

/** A row with its key and metrics beside each other. */
export const flat = ({ time, key, metrics }: UsageRow) => ({
  time,
  userId: key.userId ?? null,
  tokenId: key.tokenId ?? null,
  channelId: key.channelId ?? null,
  modelName: key.modelName ?? null,
  group: key.group ?? null,
  calls: metrics.calls,
  quota: metrics.quota,
  p95Milliseconds: metrics.latencyMs(0.95),
});
