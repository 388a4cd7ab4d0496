import type { z } from 'zod';
import {
  flag,
  int,
  named,
  parameter,
  quota,
  seconds,
  text,
  timeRange,
  type Wire,
} from '../../platform/http/openapi/operation.js';
import { parseFields } from '../../shared/json.js';
import { costOfSearch } from '../../shared/list-bounds.js';
import type { Slice } from '../../shared/page.js';
import { LogType } from '../../shared/log-type.js';
import type { LogFilter } from './log-conditions.js';
import type { LogListQuery } from './log.service.js';
import { addressIn, type LogView, type OwnLogView } from './log-view.js';

/** Returns the type in the REST form. Old clients show channel tests as calls. */
const wireType = (type: number): number => (type === LogType.test ? LogType.consume : type);

/** A log row in the form for old clients (docs/reference/rest/entities.md#log-row). */
export const logShape = named('LogRow', 'A row of the usage log.', {
  id: int('Id. In own lists the position among the own rows'),
  user_id: int('User'),
  created_at: seconds('Written'),
  type: int('1 top-up, 2 call, 3 management, 4 system, 5 check-in, 6 error'),
  content: text('For people, in the language of the log'),
  username: text('Name of the user when the row was written'),
  token_name: text('Name of the key'),
  model_name: text('Model'),
  quota: quota('Charged, or credited; of deductions 0'),
  prompt_tokens: int('Input tokens'),
  completion_tokens: int('Output tokens'),
  use_time: int('Duration in whole seconds'),
  is_stream: flag('The response was a stream'),
  channel: int('Channel; 0 in own lists'),
  channel_name: text('Name of the channel; empty in own lists'),
  token_id: int('Key'),
  group: text('Group'),
  request_id: text('Request id of the call; empty for other rows'),
  ip: text('Address of the client, if the user has it recorded (`record_ip_log`); else empty'),
  other: text('JSON text with the parts of the charge'),
});
type WireLog = Wire<typeof logShape>;

export const toWire = (log: LogView): WireLog => ({
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
  request_id: log.requestId,
  ip: addressIn(log),
  other: log.other,
});

/**
 * Returns prompt tokens in the way old clients count them: for Messages calls (`claude`) without cached tokens, whose
 * price they add to the price of the prompt.
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
export const toOwnWire = (log: OwnLogView, place: number): WireLog =>
  toWire({ ...log, id: place, channelId: null, channelName: null });

/**
 * Returns own rows, newest first.
 * @param newest position of the first one
 */
export const toOwnWires = (rows: readonly OwnLogView[], newest: number): WireLog[] =>
  rows.map((row, index) => toOwnWire(row, newest - index));

/** Returns the rows of one key, from a list that was counted. */
export async function keyRows(
  { items, total }: Slice<OwnLogView>,
  { page, pageSize }: LogListQuery,
): Promise<WireLog[]> {
  return toOwnWires(items, (await total()).count - page * pageSize);
}

export const ownFilters = {
  type: parameter.whole('Type of rows; 0 for all'),
  token_name: parameter.words('Name of the key'),
  model_name: parameter.words('Model; `*` stands for any text'),
  group: parameter.words('Group'),
  request_id: parameter.words('Request id of a call'),
  min_quota: parameter.whole('Least quota of a row. Leaves out credits unless a type is chosen'),
  max_quota: parameter.whole('Largest quota of a row. Leaves out credits unless a type is chosen'),
  ...timeRange,
};
const adminFilters = { username: parameter.words('Name of the user'), channel: parameter.id('Channel') };
export const filters = { ...ownFilters, ...adminFilters };

type Filters = z.output<z.ZodObject<typeof ownFilters>> & Partial<z.output<z.ZodObject<typeof adminFilters>>>;

/**
 * Reads the filter. Zero, empty and unreadable values do not restrict. The end of the range is inclusive. Old clients
 * write `%` for any text in the name of a model; as in the console, `*` means the same.
 * @throws InvalidInputError for a pattern that is too long
 */
export function toFilter({ type, end_timestamp: last, max_quota: largest, ...query }: Filters): LogFilter {
  const list = <Value>(value: Value | undefined): Value[] | undefined => (value ? [value] : undefined);
  const models = list(query.model_name?.replaceAll('%', '*'));
  costOfSearch(models, 'model_name');
  return {
    types: type === LogType.consume ? [type, LogType.test] : list(type),
    username: query.username || undefined,
    tokenName: query.token_name || undefined,
    requestId: query.request_id || undefined,
    models,
    groups: list(query.group),
    channelIds: list(query.channel),
    from: query.start_timestamp || undefined,
    until: last ? last + 1 : undefined,
    quotaAtLeast: query.min_quota || undefined,
    quotaBelow: largest ? largest + 1 : undefined,
  };
}

/**
 * Reads the filter of an export. One for people has the rows of the console's list: a value of 0 restricts, and tests
 * are not calls.
 * @param raw the query as it was sent
 */
export function toExportFilter(query: Filters, raw: Readonly<Record<string, string | undefined>>): LogFilter {
  if (raw['format'] !== 'people') return toFilter(query);
  const whole = (name: string): number | undefined =>
    /^-?\d{1,15}$/.test(raw[name] ?? '') ? Number(raw[name]) : undefined;
  const [type, largest] = [whole('type'), whole('max_quota')];
  return {
    ...toFilter(query),
    types: type === undefined ? undefined : [type],
    quotaBelow: largest === undefined ? undefined : largest + 1,
  };
}
