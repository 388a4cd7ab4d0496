import { queryId, queryNumber } from '../../platform/http/query.js';
import { parseFields } from '../../shared/json.js';
import { costOfSearch } from '../../shared/list-bounds.js';
import type { Slice } from '../../shared/page.js';
import { LogType } from '../../shared/log-type.js';
import type { LogFilter } from './log-conditions.js';
import type { LogListQuery } from './log.service.js';
import type { LogView, OwnLogView } from './log-view.js';

type Query = Readonly<Record<string, string | undefined>>;

/** Returns the type in the REST form. Old clients show channel tests as calls. */
const wireType = (type: number): number => (type === LogType.test ? LogType.consume : type);

/** Returns a log row in the form for old clients (docs/reference/rest/entities.md#log-row). */
export const toWire = (log: LogView): Record<string, unknown> => ({
  id: log.id,
  user_id: log.userId,
  created_at: log.createdAt,
  type: wireType(log.type),
  content: log.content,
  username: log.username,
  token_name: log.tokenName,
  model_name: log.modelName,
  quota: log.quota,
  prompt_tokens: promptTokensOf(log),
  completion_tokens: log.completionTokens,
  use_time: log.useTime,
  is_stream: log.isStream,
  channel: log.channelId ?? 0,
  channel_name: log.channelName ?? '',
  token_id: log.tokenId,
  group: log.group,
  other: log.other,
});

/**
 * Returns prompt tokens in the way old clients count them: for Messages calls (`claude`) without cached tokens, whose
 * price they add to that of the prompt.
 */
function promptTokensOf({ promptTokens, other }: Pick<LogView, 'promptTokens' | 'other'>): number {
  const details = other.includes('"claude"') ? parseFields(other) : null;
  if (details?.['claude'] !== true) return promptTokens;
  const { cache_tokens: read, cache_creation_tokens: written } = details;
  return Math.max(0, promptTokens - (Number(read) || 0) - (Number(written) || 0));
}

/**
 * Returns an own row. Admin fields are blank.
 * @param place position in the list, where the oldest row is 1: used as the id of own rows
 */
export const toOwnWire = (log: OwnLogView, place: number): Record<string, unknown> =>
  toWire({ ...log, id: place, channelId: null, channelName: null });

/**
 * Returns own rows, newest first.
 * @param newest position of the first one
 */
export const toOwnWires = (rows: readonly OwnLogView[], newest: number): Array<Record<string, unknown>> =>
  rows.map((row, index) => toOwnWire(row, newest - index));

/** Returns the rows of one key, from a list that was counted. */
export async function keyRows(
  { items, total }: Slice<OwnLogView>,
  { page, pageSize }: LogListQuery,
): Promise<Array<Record<string, unknown>>> {
  return toOwnWires(items, (await total()).count - page * pageSize);
}

/**
 * Reads the filter. Zero, empty and unreadable values do not restrict. The end of the range is inclusive. Old clients
 * write `%` for any text in the name of a model; as in the console, `*` means the same.
 * @throws InvalidInputError for a pattern that is too long
 */
export function toFilter(query: Query): LogFilter {
  const list = <Value>(value: Value | undefined): Value[] | undefined => (value ? [value] : undefined);
  const type = queryNumber(query['type']);
  const last = queryNumber(query['end_timestamp']);
  const largest = queryNumber(query['max_quota']);
  const models = list(query['model_name']?.replaceAll('%', '*'));
  costOfSearch(models, 'model_name');
  return {
    types: type === LogType.consume ? [type, LogType.test] : list(type),
    username: query['username'] || undefined,
    tokenName: query['token_name'] || undefined,
    requestId: query['request_id'] || undefined,
    models,
    groups: list(query['group']),
    channelIds: list(queryId(query['channel'])),
    from: queryNumber(query['start_timestamp']) || undefined,
    until: last ? last + 1 : undefined,
    quotaAtLeast: queryNumber(query['min_quota']) || undefined,
    quotaBelow: largest ? largest + 1 : undefined,
  };
}

/**
 * Reads the filter of an export for people, which has the rows of the console's list: a value of 0 restricts, and tests
 * are not calls.
 */
export function toPeopleFilter(query: Query): LogFilter {
  const whole = (name: string): number | undefined =>
    /^-?\d{1,15}$/.test(query[name] ?? '') ? Number(query[name]) : undefined;
  const [type, largest] = [whole('type'), whole('max_quota')];
  return {
    ...toFilter(query),
    types: type === undefined ? undefined : [type],
    quotaBelow: largest === undefined ? undefined : largest + 1,
  };
}
