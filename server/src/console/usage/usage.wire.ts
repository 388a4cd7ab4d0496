import type { z } from 'zod';
import {
  int,
  named,
  parameter,
  quota,
  seconds,
  text,
  timeRange,
  type Wire,
} from '../../platform/http/openapi/operation.js';
import { InvalidInputError } from '../../shared/errors.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { wholeHours, type HourlyModelUsage } from './hourly-models.service.js';
import { emptyQuestion, type UsageDimension, type UsageQuestion } from './usage-question.js';

/** Unix seconds; zero and unreadable times are absent. */
export const toRange = (query: z.output<z.ZodObject<typeof timeRange>>): { from?: number; to?: number } =>
  omitUndefined({ from: query.start_timestamp || undefined, to: query.end_timestamp || undefined });

/** A row of the old dashboards (docs/reference/rest/entities.md#usage-row). */
export const usageShape = named('UsageHour', 'Usage of a model in an hour.', {
  id: int('Position, or 0'),
  user_id: int('User; 0 for all'),
  username: text('Name; empty for all users'),
  model_name: text('Model'),
  created_at: seconds('Start of the hour'),
  token_used: int('Tokens'),
  count: int('Calls'),
  quota: quota('Charged'),
});

/** Returns rows of the old dashboards. Totals over all users have no user and no id. */
export const toWire = (
  rows: readonly HourlyModelUsage[],
  user?: { id: number; name: string },
): Array<Wire<typeof usageShape>> =>
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

/** The query of an export. The reference leaves out the filters of the console. */
export const exportQuery = {
  ...timeRange,
  group_by: parameter.words(
    '`day` or `hour`, and `user`, `token`, `model`, `channel`, `group`, `upstream_key`, `member`, `project`; separated by commas',
  ),
  time_zone: parameter.words('IANA zone of `day` and `hour`. UTC when absent'),
  user_id: parameter.id(),
  username: parameter.words(),
  token_id: parameter.id(),
  channel: parameter.id(),
  model_name: parameter.words(),
  group: parameter.words(),
};

/**
 * Parses `group_by=day,model` in any case; by day when absent.
 * @throws InvalidInputError
 */
function toGroups(given: string | undefined): Pick<UsageQuestion, 'groupBy' | 'bucket'> {
  const names = (given || 'day').split(',').map((name) => name.trim().toUpperCase());
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

const exported = [
  'USER',
  'TOKEN',
  'MODEL',
  'CHANNEL',
  'GROUP',
  'UPSTREAM_KEY',
  'MEMBER',
  'PROJECT',
] as const satisfies readonly UsageDimension[];

/**
 * Reads the query. Zero, empty and unreadable values do not restrict. Both ends of the range are full hours, inclusive.
 * Days are those of `time_zone`, UTC when absent.
 */
export function toQuestion(query: z.output<z.ZodObject<typeof exportQuery>>, now: number): UsageQuestion {
  const { from, to = now } = toRange(query);
  const { from: start, end } = wholeHours(from ?? to - 30 * 24 * 3600, to);
  return {
    ...emptyQuestion,
    ...toGroups(query.group_by),
    range: { from: start, until: end },
    timeZone: query.time_zone || emptyQuestion.timeZone,
    filter: omitUndefined({
      userIds: listed(query.user_id),
      usernames: listed(query.username),
      tokenIds: listed(query.token_id),
      channelIds: listed(query.channel),
      models: listed(query.model_name),
      groups: listed(query.group),
    }),
  };
}

const listed = <Value>(value: Value | undefined): Value[] | undefined => (value ? [value] : undefined);
