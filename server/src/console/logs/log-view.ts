import { holds, type MaybeActor } from '../../shared/actor.js';
import type { Secrets } from '../../shared/secrets.js';
import { asText, parseFields } from '../../shared/json.js';
import type { Log } from './log.entity.js';

/** A log row in the form for admins. */
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
  /** Null for rows without a channel. */
  readonly channelId: number | null;
  /** Null for rows without a channel, and when the channel was deleted. */
  readonly channelName: string | null;
};

/** A log row in the form for its owner: without channels and admin details. */
export type OwnLogView = Omit<LogView, 'id' | 'channelId' | 'channelName'> & {
  /**
   * An id that is the same across reads and nodes. It is derived with a secret, because row ids would reveal how many
   * calls the whole site serves.
   */
  readonly id: string;
};

/** Columns of `logs` under the names of the view. The driver returns `bigint` as text. */
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
 * Returns the view for a caller who reads the log of all users: without the texts of calls unless they may read them
 * (`logs.content`).
 */
export function viewFor(actor: MaybeActor): typeof toView {
  if (holds(actor, 'logs.content')) return toView;
  return (row, names) => ({ ...toView(row, names), other: withoutTexts(row.other) });
}

/** The details of a row that hold texts of a call (`gateway/observe/chat-content.ts`). */
const textFields = ['input_content', 'output_content', 'context', 'system_prompt'];

/** Removes the texts. A text that is not a JSON object is removed as a whole, because it might contain any. */
function withoutTexts(other: string): string {
  const fields = parseFields(other);
  return fields ? JSON.stringify(omit(fields, textFields)) : '';
}

const omit = (fields: object, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

export function toOwnView(row: ViewRow, secrets: Pick<Secrets, 'hash'>): OwnLogView {
  const { channelId: _channelId, channelName: _channelName, ...view } = toView(row, new Map());
  return { ...view, id: ownIdOf(row, secrets), other: withoutAdminInfo(row.other) };
}

/** Returns the client's address; empty if it was not recorded. Most rows have none, and are not parsed. */
export const addressIn = ({ other }: Pick<LogView, 'other'>): string =>
  other.includes('"ip":') ? asText(parseFields(other)?.['ip']) : '';

export const withoutAddress = (row: OwnLogView): OwnLogView =>
  addressIn(row) === '' ? row : { ...row, other: JSON.stringify(omit(parseFields(row.other) ?? {}, ['ip'])) };

const ownIdOf = ({ id }: Pick<ViewRow, 'id'>, secrets: Pick<Secrets, 'hash'>): string =>
  secrets.hash(`log row ${id}`).subarray(0, 15).toString('base64url');

/**
 * The details of a row that are for admins. Channels are in rows of failed calls. Budgets are included, because they do
 * not state which of them are the owner's.
 */
const adminFields = ['admin_info', 'budgets', 'channel_id', 'channel_name', 'channel_type'];

/** Removes admin details. A text that is not a JSON object is removed as a whole, because it might contain some. */
function withoutAdminInfo(other: string): string {
  const fields = parseFields(other);
  return fields ? JSON.stringify(omit(fields, adminFields)) : '';
}
