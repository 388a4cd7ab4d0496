import { queryId, queryNumber } from '../../platform/http/query.js';
import { InvalidInputError } from '../../shared/errors.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { wholeHours, type HourlyModelUsage } from './hourly-models.service.js';
import { emptyQuestion, type UsageDimension, type UsageQuestion } from './usage-question.js';

type Query = Readonly<Record<string, string | undefined>>;

/** Unix seconds; zero and unreadable times are absent. */
export const toRange = (query: Query): { from?: number; to?: number } =>
  omitUndefined({
    from: queryNumber(query['start_timestamp']) || undefined,
    to: queryNumber(query['end_timestamp']) || undefined,
  });

/**
 * Returns rows of the old dashboards (docs/reference/rest/entities.md#other-entities). Totals over all users have no
 * user and no id.
 */
export const toWire = (rows: readonly HourlyModelUsage[], user?: { id: number; name: string }): unknown[] =>
  rows.map((row, index) => ({
    id: user ? index + 1 : 0,
    user_id: user?.id ?? 0,
    username: user?.name ?? '',
    model_name: row.modelName,
    created_at: row.hour,
    token_used: row.tokens,
    count: row.calls,
    quota: row.quota,
  }));

/**
 * Parses `group_by=day,model` in any case; by day when absent.
 * @throws InvalidInputError
 */
export function toGroups(query: Query): Pick<UsageQuestion, 'groupBy' | 'bucket'> {
  const names = (query['group_by'] || 'day').split(',').map((name) => name.trim().toUpperCase());
  if (new Set(names).size !== names.length) {
    throw new InvalidInputError('Group by one or more dimensions, each once', 'groupBy');
  }
  if (names.includes('DAY') && names.includes('HOUR')) {
    throw new InvalidInputError('Group by day or by hour, not both', 'groupBy');
  }
  const groupBy = names.flatMap((name) => {
    if (name === 'DAY' || name === 'HOUR') return [];
    const found = exported.find((dimension) => dimension === name);
    if (!found) throw new InvalidInputError('Unknown dimension', 'group_by');
    return [found];
  });
  return { groupBy, bucket: names.includes('DAY') ? 'DAY' : names.includes('HOUR') ? 'HOUR' : null };
}

const exported = ['USER', 'TOKEN', 'MODEL', 'CHANNEL', 'GROUP'] as const satisfies readonly UsageDimension[];

/**
 * Reads the query. Zero, empty and unreadable values do not restrict. Both ends of the range are full hours, inclusive.
 * Days are those of `time_zone`, UTC when absent.
 */
export function toQuestion(query: Query, now: number): UsageQuestion {
  const { from, to = now } = toRange(query);
  const { from: start, end } = wholeHours(from ?? to - 30 * 24 * 3600, to);
  const id = (name: string): number[] | undefined => listed(queryId(query[name]) || undefined);
  const text = (name: string): string[] | undefined => listed(query[name] || undefined);
  return {
    ...emptyQuestion,
    ...toGroups(query),
    range: { from: start, until: end },
    timeZone: query['time_zone'] || emptyQuestion.timeZone,
    filter: omitUndefined({
      userIds: id('user_id'),
      usernames: text('username'),
      tokenIds: id('token_id'),
      channelIds: id('channel'),
      models: text('model_name'),
      groups: text('group'),
    }),
  };
}

const listed = <Value>(value: Value | undefined): Value[] | undefined => (value === undefined ? undefined : [value]);
