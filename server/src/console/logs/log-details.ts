import { readComponents } from '../../shared/charge-lines.js';
import { asFields, asFieldsList, asList, asText, parseFields } from '../../shared/json.js';
import { maxInt32 } from '../../shared/limits.js';
import { conditionOf, type Condition } from '../../shared/price-condition.js';
import { costOfRow, type LogCost } from './log-cost.js';
import { LogType } from '../../shared/log-type.js';
import { linesOf, type LogChargeLine } from './log-lines.js';
import type { LogView } from './log-view.js';

/** The factors of a charge. A factor is null if the call was not priced by it. */
export interface LogPrice {
  /** Name of the price tables at that time, see `priceVersions`. Null in rows that do not state it. */
  readonly version: string | null;
  /** USD per call. Null for calls that are priced by tokens. */
  readonly modelPrice: number | null;
  /** 1 means 2 USD per million prompt tokens. */
  readonly modelRatio: number | null;
  readonly completionRatio: number | null;
  readonly cacheRatio: number | null;
  readonly cacheWriteRatio: number | null;
  readonly audioRatio: number | null;
  readonly audioCompletionRatio: number | null;
  readonly groupRatio: number;
  /**
   * The name of the price card, if one priced the call. `lines` are then the charge, and the ratios only describe it.
   */
  readonly card: string | null;
  /** The date at which the prices of the card were read: a month or a day. */
  readonly cardAsOf: string | null;
  readonly lines: readonly LogChargeLine[] | null;
  /** Fractions of a quota unit before and after the call. Null when the price is a whole number. */
  readonly carriedBefore: number | null;
  readonly carriedAfter: number | null;
}

/** Tokens of a call with audio, which are priced separately. */
export interface LogAudio {
  readonly textInputTokens: number;
  readonly audioInputTokens: number;
  readonly textOutputTokens: number;
  readonly audioOutputTokens: number;
}

/** Texts of a call, kept while the option LogChatContentEnabled is on. */
export interface LogConversation {
  readonly systemPrompt: string | null;
  readonly context: string | null;
  readonly input: string | null;
  readonly output: string | null;
}

/** Why no channel could serve a call. */
export interface LogError {
  /** HTTP status of the response. */
  readonly status: number | null;
  readonly code: string | null;
  readonly message: string;
}

/**
 * How a call of a session was routed: to the channel and key of the session's last call, as the first call of the
 * session, or to another channel or key.
 */
export const logAffinities = ['HIT', 'NEW', 'MOVED'] as const;
export type LogAffinity = (typeof logAffinities)[number];

/** One guardrail that matched the content of the call. */
export interface LogGuardrail {
  readonly rule: string;
  readonly stage: string;
  readonly action: string;
  readonly matched: readonly string[];
}

/** The details of a log row, read from its JSON text. */
export interface LogDetails {
  readonly price: LogPrice | null;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  /** The part of the cache writes that is kept for an hour. */
  readonly cacheWrite1hTokens: number;
  readonly reasoningTokens: number;
  /** The condition that decided the prices of the call. Null: the standard condition. */
  readonly priceWhen: Condition | null;
  readonly audio: LogAudio | null;
  readonly timeToFirstTokenMs: number | null;
  /** Null in rows that have whole seconds only. */
  readonly durationMs: number | null;
  readonly upstreamModel: string | null;
  /** The model or group that the client asked for, when a fallback served the call. */
  readonly askedModel: string | null;
  readonly askedGroup: string | null;
  readonly path: string | null;
  /** The client's address. Null when it was not recorded. */
  readonly ip: string | null;
  readonly reasoningEffort: string | null;
  readonly affinity: LogAffinity | null;
  /** The plan that paid for the call instead of the balance. */
  readonly plan: string | null;
  /** The plan that had no room for the call, so that the balance paid. */
  readonly planOverflow: string | null;
  readonly isUsageEstimated: boolean;
  readonly hasClientDisconnected: boolean;
  readonly streamError: string | null;
  readonly conversation: LogConversation | null;
  readonly error: LogError | null;
  /** Ids of the channels that were tried, in order. */
  readonly attemptIds: readonly number[];
  /** Guardrails that matched, for admins. */
  readonly guardrails: readonly LogGuardrail[];
  /** Whether the content of the call was captured. */
  readonly isCaptured: boolean;
  /** The cost; null when it is unknown. */
  readonly cost: LogCost | null;
  /** Quota that an admin deducted from the balance. The row's own quota is 0 then. */
  readonly deductedQuota: number;
  /** All stored details, under the names of the REST API. */
  readonly all: Readonly<Record<string, unknown>> | null;
}

/** The cache write ratio of rows written before it was logged. */
const oldCacheWriteRatio = 1.25;

/** Parses the `other` text of a row. Text that is not a JSON object counts as empty. */
export function detailsOf({ other, content, type }: Pick<LogView, 'other' | 'content' | 'type'>): LogDetails {
  const all = parseFields(other);
  const from = all ?? {};
  const number = (key: string): number | null => (typeof from[key] === 'number' ? from[key] : null);
  // Rows of other programs may have times that no call takes.
  const whole = (key: string): number => Math.max(-maxInt32, Math.min(Math.round(number(key) ?? 0), maxInt32));
  const text = (key: string): string | null => (typeof from[key] === 'string' && from[key] !== '' ? from[key] : null);
  const admin = (from['admin_info'] ?? {}) as { use_channel?: unknown; guardrails?: unknown; captured?: unknown };
  const conversation = {
    systemPrompt: text('system_prompt'),
    context: text('context'),
    input: text('input_content'),
    output: text('output_content'),
  };
  const hasAudio = from['audio'] === true || from['ws'] === true;
  return {
    price: priceOf(number, text, hasAudio, linesOf(readComponents(from['components'])), carriedIn(from['carried'])),
    cachedTokens: whole('cache_tokens'),
    cacheWriteTokens: whole('cache_creation_tokens'),
    cacheWrite1hTokens: whole('cache_creation_1h_tokens'),
    priceWhen: conditionOf(from['price_when']) ?? null,
    reasoningTokens: whole('reasoning_tokens'),
    audio: hasAudio
      ? {
          textInputTokens: whole('text_input'),
          audioInputTokens: whole('audio_input'),
          textOutputTokens: whole('text_output'),
          audioOutputTokens: whole('audio_output'),
        }
      : null,
    timeToFirstTokenMs: (number('frt') ?? 0) > 0 ? whole('frt') : null,
    durationMs: number('duration_ms') === null ? null : whole('duration_ms'),
    upstreamModel: from['is_model_mapped'] === true ? text('upstream_model_name') : null,
    askedModel: text('asked_model'),
    askedGroup: text('asked_group'),
    path: text('request_path'),
    ip: text('ip'),
    reasoningEffort: text('reasoning_effort'),
    affinity: logAffinities.find((one) => one.toLowerCase() === from['affinity']) ?? null,
    plan: planIn(from['plan']),
    planOverflow: planIn(from['plan_overflow']),
    isUsageEstimated: from['counted_locally'] === true,
    hasClientDisconnected: from['client_gone'] === true,
    streamError: text('stream_error'),
    conversation: Object.values(conversation).some((one) => one !== null) ? conversation : null,
    error:
      type === (LogType.error as number)
        ? { status: whole('status_code') || null, code: text('error_code'), message: content }
        : null,
    attemptIds: asList(admin.use_channel).map(Number).filter(isInt32),
    guardrails: guardrailsIn(admin.guardrails),
    isCaptured: admin.captured === true,
    cost: costOfRow(from),
    deductedQuota: Math.max(0, number('deducted_quota') ?? 0),
    all,
  };
}

const isInt32 = (value: number): boolean => Number.isInteger(value) && Math.abs(value) <= maxInt32;

/** Returns the name of a plan. */
const planIn = (value: unknown): string | null => asText(asFields(value)?.['name']) || null;

function guardrailsIn(value: unknown): LogGuardrail[] {
  return asFieldsList(value).map((one) => ({
    rule: asText(one['rule']),
    stage: asText(one['stage']),
    action: asText(one['action']),
    matched: asList(one['matched']).map(String),
  }));
}

/** @param value billionths of a quota unit, before and after the call */
function carriedIn(value: unknown): readonly [number | null, number | null] {
  const [before, after] = asList(value);
  return typeof before === 'number' && typeof after === 'number' ? [before / 1e9, after / 1e9] : [null, null];
}

function priceOf(
  number: (key: string) => number | null,
  text: (key: string) => string | null,
  hasAudio: boolean,
  lines: LogChargeLine[] | null,
  [carriedBefore, carriedAfter]: readonly [number | null, number | null],
): LogPrice | null {
  const perCall = number('model_price');
  const modelRatio = number('model_ratio');
  if (perCall === null && modelRatio === null) return null;
  const isPerCall = perCall !== null && perCall >= 0;
  const ofUser = number('user_group_ratio');
  const byTokens = (key: string, whenAbsent: number): number | null => (isPerCall ? null : (number(key) ?? whenAbsent));
  return {
    version: text('price_version'),
    modelPrice: isPerCall ? perCall : null,
    modelRatio: byTokens('model_ratio', 0),
    completionRatio: byTokens('completion_ratio', 0),
    cacheRatio: byTokens('cache_ratio', 1),
    cacheWriteRatio: byTokens('cache_creation_ratio', oldCacheWriteRatio),
    audioRatio: hasAudio ? byTokens('audio_ratio', 0) : null,
    audioCompletionRatio: hasAudio ? byTokens('audio_completion_ratio', 0) : null,
    card: text('price_card'),
    cardAsOf: text('price_as_of'),
    lines,
    carriedBefore,
    carriedAfter,
    groupRatio: ofUser !== null && ofUser >= 0 ? ofUser : (number('group_ratio') ?? 1),
  };
}
