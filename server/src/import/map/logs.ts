import { durationBucket } from '../../billing/ledger/index.js';
import { LogType } from '../../shared/log-type.js';
import { cutToBytes, maxIndexedBytes } from '../../shared/indexed-text.js';
import { maxInt32 } from '../../shared/limits.js';
import { parseFields } from '../../shared/json.js';
import type { Family } from '../family.js';
import type { Fields } from '../source/fields.js';

/** A row of `logs`, without its id. */
export interface MovedLog {
  readonly createdAt: number;
  readonly requestId: string;
  readonly type: number;
  readonly userId: number;
  readonly username: string;
  readonly tokenId: number;
  readonly tokenName: string;
  readonly channelId: number;
  readonly modelName: string;
  readonly group: string;
  readonly quota: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Duration of the call in seconds. */
  readonly useTime: number;
  readonly durationMs: number;
  readonly isStream: boolean;
  readonly content: string;
  readonly other: string;
  readonly cachedTokens: number;
  /** Milliseconds until the first data of a stream; null when unknown. */
  readonly firstTokenMs: number | null;
}

/** Columns that are read. Other columns, such as the addresses of users, are not imported. */
export const logColumns = [
  ...[
    'id',
    'user_id',
    'created_at',
    'type',
    'content',
    'username',
    'token_name',
    'model_name',
    'quota',
    'prompt_tokens',
  ],
  ...[
    'completion_tokens',
    'channel_id',
    'channel',
    'is_stream',
    'elapsed_time',
    'use_time',
    'token_id',
    'group',
    'other',
  ],
  'request_id',
];

export interface LogOptions {
  readonly family: Family;
  readonly withContent: boolean;
  /** Called for a type without counterpart, for content that is left out, and for texts that are cut. */
  readonly onChange: (code: LogChange) => void;
}

export type LogChange = 'log-type' | 'log-content' | 'log-cut';

/** Maximum length of a name in bytes, because some indexes contain two names. */
const maxNameBytes = 600;

/** Returns the type of a log row, which the program families number differently. */
function typeOf(given: number, { family, onChange }: LogOptions): { type: number; note: string } {
  if (given >= LogType.unknown && given <= LogType.system) return { type: given, note: '' };
  if (family === 'one-api' && given === 5) return { type: LogType.system, note: '[channel test] ' };
  if (family === 'veloera' && given === 5) return { type: LogType.checkIn, note: '' };
  if (family === 'new-api' && given === 5) return { type: LogType.error, note: '' };
  if (family === 'new-api' && given === 6) return { type: LogType.topUp, note: '[refund] ' };
  onChange('log-type');
  return { type: LogType.system, note: `[type ${given}] ` };
}

/** Keys in the details of a row that contain prompts and responses. */
const contentKeys = ['input_content', 'output_content', 'context', 'system_prompt'];
/** A row of this program has the address of its client there, which is never moved. */
const addressKey = 'ip';

/** @throws BadRecord */
export function mapLog(row: Fields, options: LogOptions): MovedLog {
  const { onChange } = options;
  const { type, note } = typeOf(row.whole('type'), options);
  const isOneApi = row.has('elapsed_time');
  const durationMs = isOneApi ? Math.max(0, row.whole('elapsed_time')) : Math.max(0, row.whole('use_time')) * 1000;
  const { text: other, fields } = otherOf(row, options);
  const number = (key: string): number => {
    const value = fields?.[key];
    return typeof value === 'number' && Number.isSafeInteger(Math.trunc(value)) ? Math.trunc(value) : 0;
  };
  const firstToken = number('frt');
  let isCut = false;
  const cut = (text: string, bytes: number): string => {
    const shown = cutToBytes(text, bytes);
    isCut ||= shown !== text;
    return shown;
  };
  const name = (column: string): string => cut(row.text(column), maxNameBytes);
  const content = note + row.text('content');
  const log: MovedLog = {
    createdAt: Math.max(0, row.seconds('created_at')),
    requestId: name('request_id'),
    type,
    userId: row.clamped('user_id', 0, maxInt32),
    username: name('username'),
    tokenId: row.clamped('token_id', 0, maxInt32),
    tokenName: name('token_name'),
    channelId: row.clamped(row.has('channel_id') ? 'channel_id' : 'channel', 0, maxInt32),
    modelName: name('model_name'),
    group: name('group'),
    quota: row.whole('quota'),
    promptTokens: row.clamped('prompt_tokens', -maxInt32, maxInt32),
    completionTokens: row.clamped('completion_tokens', -maxInt32, maxInt32),
    useTime: Math.min(maxInt32, Math.round(durationMs / 1000)),
    durationMs,
    isStream: row.flag('is_stream'),
    // The content of calls is in no index, so its length is not limited.
    content: type === LogType.consume ? content : cut(content, maxIndexedBytes),
    other,
    cachedTokens: Math.max(0, number('cache_tokens')),
    firstTokenMs: firstToken > 0 ? firstToken : null,
  };
  if (isCut) onChange('log-cut');
  return log;
}

function otherOf(
  row: Fields,
  { withContent, onChange }: LogOptions,
): { text: string; fields: Readonly<Record<string, unknown>> | null } {
  const text = row.text('other');
  if (text === '') return { text, fields: null };
  const fields = parseFields(text);
  if (!fields) return { text: '', fields };
  const losesContent = !withContent && contentKeys.some((key) => fields[key]);
  if (losesContent) onChange('log-content');
  else if (!(addressKey in fields)) return { text, fields };
  const dropped = losesContent ? [...contentKeys, addressKey] : [addressKey];
  const rest = Object.fromEntries(Object.entries(fields).filter(([key]) => !dropped.includes(key)));
  return { text: JSON.stringify(rest), fields: rest };
}

/** Counters of calls, with the columns of `usage_hourly`. */
export interface Usage {
  calls: number;
  streamCalls: number;
  failedCalls: number;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  quota: number;
  loggedCalls: number;
  loggedQuota: number;
  durationMs: number;
  durationBuckets: number[];
  firstTokenBuckets: number[];
}

export const noUsage = (): Usage => ({
  calls: 0,
  streamCalls: 0,
  failedCalls: 0,
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  quota: 0,
  loggedCalls: 0,
  loggedQuota: 0,
  durationMs: 0,
  durationBuckets: [],
  firstTokenBuckets: [],
});

/** Counts a row as a settlement or a failure would. Rows of other types count nothing. */
export function countLog(usage: Usage, log: MovedLog): void {
  if (log.type === LogType.error) usage.failedCalls++;
  if (log.type !== LogType.consume) return;
  usage.calls++;
  usage.quota += log.quota;
  usage.promptTokens += log.promptTokens;
  usage.completionTokens += log.completionTokens;
  usage.cachedTokens += log.cachedTokens;
  usage.durationMs += log.durationMs;
  increment(usage.durationBuckets, durationBucket(log.durationMs));
  if (log.isStream) usage.streamCalls++;
  if (log.firstTokenMs !== null) increment(usage.firstTokenBuckets, durationBucket(log.firstTokenMs));
  // Reconciliation expects a log row with a request id for every logged call, so a row without one is not counted as
  // logged.
  if (log.requestId === '') return;
  usage.loggedCalls++;
  usage.loggedQuota += log.quota;
}

function increment(buckets: number[], index: number): void {
  while (buckets.length <= index) buckets.push(0);
  buckets[index] = (buckets[index] ?? 0) + 1;
}
