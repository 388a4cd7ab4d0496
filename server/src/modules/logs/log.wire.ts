import { queryId, queryNumber } from '../../http/query.js';
import type { LogFilter, LogPage, LogView } from './log.service.js';

type Query = Readonly<Record<string, string | undefined>>;

/** A log row as the old clients read it (docs/reference/rest/entities.md#log-row). */
export const toWire = (log: LogView): Record<string, unknown> => ({
  id: log.id,
  user_id: log.userId,
  created_at: log.createdAt,
  type: log.type,
  content: log.content,
  username: log.username,
  token_name: log.tokenName,
  model_name: log.modelName,
  quota: log.quota,
  prompt_tokens: log.promptTokens,
  completion_tokens: log.completionTokens,
  use_time: log.useTime,
  is_stream: log.isStream,
  channel: log.channelId ?? 0,
  channel_name: log.channelName ?? '',
  token_id: log.tokenId,
  group: log.group,
  other: log.other,
});

/** @param shown number of the page, from 1 */
export const toPageWire = (page: LogPage, shown: number, pageSize: number): Record<string, unknown> => ({
  items: page.items.map(toWire),
  total: page.totalCount,
  total_capped: page.totalCapped,
  page: shown,
  page_size: pageSize,
});

/** Zero, empty and unreadable values ask nothing. */
export const toFilter = (query: Query): LogFilter => ({
  type: queryNumber(query['type']) || undefined,
  username: query['username'] || undefined,
  tokenName: query['token_name'] || undefined,
  modelName: query['model_name'] || undefined,
  group: query['group'] || undefined,
  channelId: queryId(query['channel']) || undefined,
  from: queryNumber(query['start_timestamp']) || undefined,
  to: queryNumber(query['end_timestamp']) || undefined,
});
