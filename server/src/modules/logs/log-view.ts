import type { Log } from './log.entity.js';

/** A log row as a reader may see it. */
export type LogView = Pick<
  Log,
  | 'id'
  | 'createdAt'
  | 'requestId'
  | 'type'
  | 'userId'
  | 'username'
  | 'tokenId'
  | 'tokenName'
  | 'modelName'
  | 'group'
  | 'quota'
  | 'promptTokens'
  | 'completionTokens'
  | 'useTime'
  | 'isStream'
  | 'content'
  | 'other'
> & {
  /** Null for readers who are not admins, and for rows without a channel. */
  readonly channelId: number | null;
  /** Null where `channelId` is, and when the channel is gone. */
  readonly channelName: string | null;
};

/** Columns of `logs` under the names of the view; `bigint` ones still arrive as text. */
export const viewColumns = `l.id, l.created_at AS "createdAt", l.request_id AS "requestId", l.type, l.user_id AS "userId",
  l.username, l.token_id AS "tokenId", l.token_name AS "tokenName", l.channel_id AS "channelId",
  l.model_name AS "modelName", l."group", l.quota, l.prompt_tokens AS "promptTokens",
  l.completion_tokens AS "completionTokens", l.use_time AS "useTime", l.is_stream AS "isStream", l.content, l.other`;

type BigText = 'id' | 'createdAt' | 'quota';

export type ViewRow = Omit<LogView, BigText | 'channelId' | 'channelName'> &
  Record<BigText, string> & { channelId: number };

export function toView(row: ViewRow, channelNames: ReadonlyMap<number, string>): LogView {
  return {
    ...row,
    id: Number(row.id),
    createdAt: Number(row.createdAt),
    quota: Number(row.quota),
    channelId: row.channelId === 0 ? null : row.channelId,
    channelName: channelNames.get(row.channelId) ?? null,
  };
}

/**
 * What an owner sees of his row: nothing of channels or admins, and no number that tells how much the whole site is used.
 * @param number the row's place among his own, the oldest first
 */
export function toOwnView(row: ViewRow, number: number): LogView {
  return { ...toView(row, new Map()), id: number, channelId: null, other: withoutAdminInfo(row.other) };
}

/** Text that is no JSON object is dropped: nobody can tell what it says. */
export function withoutAdminInfo(other: string): string {
  if (other === '') return '';
  try {
    const parsed: unknown = JSON.parse(other);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return '';
    const shown = { ...parsed } as Record<string, unknown>;
    delete shown['admin_info'];
    return JSON.stringify(shown);
  } catch {
    return '';
  }
}
