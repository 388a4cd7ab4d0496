import { ID, Int, InterfaceType, ObjectType } from 'type-graphql';
import {
  fields,
  flag,
  float,
  int,
  interfaceFields,
  moment,
  nullable,
  of,
  quota,
  safeInt,
  text,
} from '../../platform/graphql/fields.js';
import { enumType, namesOf } from '../../platform/graphql/enums.js';
import { GraphQLJSON } from '../../platform/graphql/scalars.js';
import { maxInt32 } from '../../shared/limits.js';
import type { Condition } from '../../shared/price-condition.js';
import { roundedUsd } from '../../shared/quota.js';
import {
  detailsOf,
  logAffinities,
  type LogAffinity,
  type LogAudio,
  type LogConversation,
  type LogError,
  type LogPrice,
} from './log-details.js';
import { PriceConditionObject } from '../prices/price-condition.object.js';
import { LogGuardrailObject } from './log-guardrail.object.js';
import { LogCostObject, LogPriceObject } from './log-price.object.js';
import { LogType } from '../../shared/log-type.js';
import type { LogView, OwnLogView } from './log-view.js';
import { dateOf, millisecondsIn } from '../../shared/clock.js';

export const LogTypeEnum = enumType(
  'LogType',
  {
    UNKNOWN: LogType.unknown,
    TOP_UP: LogType.topUp,
    CONSUME: LogType.consume,
    MANAGE: LogType.manage,
    SYSTEM: LogType.system,
    CHECK_IN: LogType.checkIn,
    ERROR: LogType.error,
    TEST: LogType.test,
  },
  'Kind of a log row.',
  {
    UNKNOWN: 'A row of another program whose kind is not known.',
    TOP_UP: 'A user received quota for a code or a payment.',
    CONSUME: 'A call was charged.',
    MANAGE: 'An admin changed something.',
    SYSTEM: 'The gateway acted automatically.',
    CHECK_IN: 'A user received the daily reward.',
    ERROR: 'No channel could serve a call.',
    TEST: 'A channel was tested. No user pays for it.',
  },
);

export const LogAffinityEnum = enumType('LogAffinity', namesOf(logAffinities), 'How a call of a session was routed.', {
  HIT: 'To the channel and key that served the last call of the session.',
  NEW: 'The first call of its session, or the first for a long time.',
  MOVED: 'To another channel or key than the last call of the session.',
});

@ObjectType('LogAudio', { description: 'Tokens of a call with audio.' })
export class LogAudioObject
  extends fields({
    textInputTokens: int('Model tokens of text in the prompt.'),
    audioInputTokens: int('Model tokens of audio in the prompt.'),
    textOutputTokens: int('Model tokens of text in the answer.'),
    audioOutputTokens: int('Model tokens of audio in the answer.'),
  })
  implements LogAudio {}

@ObjectType('LogConversation', { description: 'Texts of a call. Stored while the option LogChatContentEnabled is on.' })
export class LogConversationObject
  extends fields({
    systemPrompt: text.orNull('Null: none.'),
    context: text.orNull('The messages before the last one.'),
    input: text.orNull('The last message. Null: none, such as an image alone.'),
    output: text.orNull('The text of the answer. Null: none.'),
  })
  implements LogConversation {}

@ObjectType('LogError', { description: 'Reason why no channel could serve a call.' })
export class LogErrorObject
  extends fields({
    status: int.orNull('HTTP status of the response.'),
    code: text.orNull('The code that the client got. Null: older rows without one.'),
    message: text('The reason, in English.'),
  })
  implements LogError {}

@InterfaceType('LogEntry', { description: 'Fields of a log row that both admins and owners see.' })
export abstract class LogEntry extends interfaceFields({
  at: moment('Accurate to the second.'),
  type: of<number>(() => LogTypeEnum, 'What the row records.'),
  requestId: text.orNull('Of calls.'),
  content: text('Human-readable text.'),
  tokenId: int.orNull('Null for rows without an API key, such as calls of the playground.'),
  tokenName: text.orNull('Name of the API key at that time.'),
  modelName: text.orNull('As the client requested it. Null for rows that are not calls.'),
  group: text.orNull('The group that the call was routed in and charged by. Null for rows that are not calls.'),
  isStream: flag('True for a call whose response was streamed.'),
  promptTokens: int('Model tokens of the prompt, cached ones included. 0 for rows that are not calls.'),
  completionTokens: int('Model tokens of the answer, reasoning included. 0 for rows that are not calls.'),
  cachedTokens: int('Included in the prompt tokens.'),
  cacheWriteTokens: int('Included in the prompt tokens.'),
  cacheWrite1hTokens: int('Included in the cache writes: kept for an hour instead of five minutes.'),
  reasoningTokens: int('Included in the completion tokens.'),
  priceWhen: nullable<Condition>(
    () => PriceConditionObject,
    'The condition that decided the prices, such as a service tier or the resolution of a video.',
  ),
  audio: nullable<LogAudio>(() => LogAudioObject, 'Of calls with audio.'),
  quota: quota('Quota that was charged or credited.'),
  usd: float('The quota in USD.'),
  seconds: int('Duration of the call in whole seconds.'),
  durationMs: int('Duration in milliseconds. Rows that do not state it have whole seconds.'),
  timeToFirstTokenMs: int.orNull('Of calls that were streamed.'),
  price: nullable<LogPrice>(() => LogPriceObject, 'Of charged calls.'),
  error: nullable<LogError>(() => LogErrorObject, 'Of rows of type ERROR.'),
  upstreamModel: text.orNull('The model that was called, if the provider uses another name.'),
  askedModel: text.orNull('The model that was asked for, if `modelName` served in its place.'),
  askedGroup: text.orNull('The first group of the key, if `group` served in its place.'),
  path: text.orNull('Path of the endpoint.'),
  ip: text.orNull('Address of the client. Null unless the user had it recorded: `UserSetting.recordsAddresses`.'),
  reasoningEffort: text.orNull('As it was sent to the provider. Null: none.'),
  affinity: nullable<LogAffinity>(() => LogAffinityEnum, 'Of calls that belong to a session.'),
  plan: text.orNull('Name of the plan that paid for the call in place of the balance.'),
  planOverflow: text.orNull('Name of the plan that had no room for the call, so that the balance paid.'),
  isUsageEstimated: flag('The provider reported no usage, so the gateway counted the tokens.'),
  hasClientDisconnected: flag('The client disconnected before the end.'),
  streamError: text.orNull('Code of the failure that interrupted the stream.'),
  conversation: nullable<LogConversation>(
    () => LogConversationObject,
    'Null: not stored, or not visible to the caller.',
  ),
  details: nullable<Readonly<Record<string, unknown>>>(
    () => GraphQLJSON,
    'All stored details, under the names of the REST API. Their keys differ by type of row.',
  ),
}) {}

@ObjectType('Log', { implements: LogEntry, description: 'A row of the log, as admins see it.' })
export class LogObject extends fields(
  {
    id: safeInt('Ids grow in the order in which rows are stored. Those of `OwnLog` are others.'),
    userId: int('The user who called, or whose account the row is about. 0: none.'),
    username: text('Name at that time.'),
    channelId: int.orNull('The channel that served the call, or the last that was tried. Null: none.'),
    channelName: text.orNull('Its name now. Null when the channel was deleted.'),
    attemptIds: of<readonly number[]>(() => [Int], 'Ids of the channels that were tried, in order.'),
    upstreamUsd: float.orNull('What the call cost: `cost.usd`.'),
    guardrails: of<readonly LogGuardrailObject[]>(() => [LogGuardrailObject], 'Guardrails that matched, in order.'),
    isCaptured: flag('Its content was captured: `capturedContent`.'),
    cost: nullable<LogCostObject>(() => LogCostObject, 'Null: unknown, or not a call.'),
  },
  LogEntry,
) {}

@ObjectType('OwnLog', {
  implements: LogEntry,
  description: 'A row of the log, as its owner sees it: without channels. Its ids are not those of `Log`.',
})
export class OwnLogObject extends fields(
  {
    id: of<string>(() => ID, 'Stable. Ids do not reveal the number of rows between them.'),
  },
  LogEntry,
) {}

function toEntry(log: LogView | OwnLogView, quotaPerUnit: number): LogEntry {
  const {
    price,
    all,
    attemptIds: _attempts,
    cost: _cost,
    guardrails: _guardrails,
    isCaptured: _captured,
    deductedQuota,
    ...details
  } = detailsOf(log);
  const quota = log.quota - deductedQuota;
  return {
    ...details,
    price,
    details: all,
    at: dateOf(log.createdAt),
    type: log.type,
    requestId: log.requestId || null,
    content: log.content,
    tokenId: log.tokenId || null,
    tokenName: log.tokenName || null,
    modelName: log.modelName || null,
    group: log.group || null,
    isStream: log.isStream,
    promptTokens: log.promptTokens,
    completionTokens: log.completionTokens,
    quota,
    usd: quota / quotaPerUnit,
    seconds: log.useTime,
    durationMs: details.durationMs ?? Math.min(millisecondsIn(log.useTime), maxInt32),
  };
}

export function toLogObject(log: LogView, quotaPerUnit: number): LogObject {
  const { id, userId, username, channelId, channelName } = log;
  const { attemptIds, cost, guardrails, isCaptured } = detailsOf(log);
  const usd = log.quota / quotaPerUnit;
  return {
    ...toEntry(log, quotaPerUnit),
    id,
    userId,
    username,
    channelId,
    channelName,
    attemptIds,
    guardrails,
    isCaptured,
    upstreamUsd: cost?.usd ?? null,
    cost: cost && { ...cost, marginUsd: roundedUsd(usd - cost.usd) },
  };
}

export const toOwnLogObject = (log: OwnLogView, quotaPerUnit: number): OwnLogObject => ({
  ...toEntry(log, quotaPerUnit),
  id: log.id,
});
