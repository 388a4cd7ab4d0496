import type { OptionValues } from '../../options/option.service.js';
import {
  linesOfUsage,
  costNotes,
  type CostNotes,
  costOfUsage,
  type CostPrice,
  type Price,
  type SaleLines,
  withOtherCost,
  linesOfImages,
  withoutAdvice,
  withoutImages,
} from '../../billing/prices/index.js';
import { RelayError } from '../../dialects/errors/relay-error.js';
import { usualDrawingModel } from '../../dialects/languages/responses/drawing-tool.js';
import { isAppError } from '../../shared/errors.js';
import type { Usage } from '../../shared/usage.js';
import type { GuardNote } from '../admit/guardrails/call-guard.js';
import type { Call } from '../call.js';
import type { ChargeInput, Tariff } from '../endpoint.js';
import { chatContent } from '../observe/chat-content.js';
import { recordedAddress } from '../admit/authentication.js';
import { cardAt, type ChargeRecord } from '../reserve/call-charge.js';
import type { Estimate } from '../reserve/estimate.js';
import { overflowNote } from '../reserve/plan-payment.js';
import type { AffinityResult } from '../route/affinity/session-affinity.js';
import { keyNameOf } from '../route/key-mark.js';
import type { Served } from '../send/attempts.js';
import type { AbortedAttempt } from '../send/hedged-attempt.js';

// The log row of a charged call, with what the call cost the operator.

/** Facts about a call for its log row, besides its usage. */
interface Circumstances {
  readonly clientGone: boolean;
  readonly countedHere: boolean;
  readonly estimate: Estimate | null;
  /** The provider's usage report, when less is charged. */
  readonly reduced: Usage | null;
  readonly record: ChargeRecord;
  /** Lines of the charge, if a card priced it. */
  readonly sale: SaleLines | null;
}

/** Collects the facts of a charged call. */
export function factsOf(
  call: Call,
  served: Served,
  charged: ChargeInput,
  { clientGone, countedHere, estimate, reduced, record, sale }: Circumstances,
  values: OptionValues,
): CallFacts {
  const { end, stoppedAt } = served.delivery;
  const { firstByteAt, reasoningEffort, dropped } = served;
  const { usage } = charged;
  // The fields are listed, because a spread makes each further field slow.
  return {
    price: call.price,
    quotaPerUnit: values.QuotaPerUnit,
    usage,
    requestPath: call.path,
    address: recordedAddress(call.caller, call.address),
    group: call.route.group,
    requestedModel: call.route.model,
    asked: call.asked,
    bareModel: call.route.bareModel,
    upstreamModel: served.upstreamModel,
    usedChannels: served.usedChannels,
    upstreamKey: served.channel.keys.length > 1 ? keyNameOf(served.channel, served.keyIndex) : undefined,
    durationMs: Math.max(0, Math.round(performance.now() - call.startedAt)),
    firstByteMs: firstByteAt === null ? null : Math.round((firstByteAt - call.startedAt) * 100) / 100,
    reasoningEffort,
    dropped: dropped && dropped.length > 0 ? dropped : undefined,
    affinity: served.affinity,
    guardrails: call.guard?.notes,
    isCaptured: call.capture && true,
    payment: call.payment,
    notes: record.notes,
    line: record.line,
    isInUsd: record.isInUsd,
    cost: costOfCall(call.endpoint.tariff, served, charged, sale),
    aborted: served.aborted && abortedNote(served.aborted, charged),
    clientGone,
    counted: countedHere,
    outputLimit: estimate?.limited === true ? estimate.outputTokens : undefined,
    stoppedAt,
    reduced: reduced ?? undefined,
    brokenBy: end.kind === 'broken' ? brokenBy(end.error) : undefined,
    content: values.LogChatContentEnabled ? chatContent(call.request.body, served.meter.transcript) : undefined,
  };
}

function brokenBy(error: unknown): string {
  if (error instanceof RelayError) return error.wireCode;
  return isAppError(error) ? error.code.toLowerCase() : 'upstream_error';
}

/** The details of a call that the log stores besides its columns: enough to recompute the charge. */
export interface CallFacts {
  readonly price: Price;
  readonly quotaPerUnit: number;
  readonly usage: Usage;
  readonly requestPath: string;
  /** The client's address, if its user has it recorded. */
  readonly address?: string | undefined;
  readonly group: string;
  readonly requestedModel: string;
  /** The requested group and model, when a fallback served the call. */
  readonly asked?: Call['asked'];
  /** The model without the routing prefix. */
  readonly bareModel: string;
  readonly upstreamModel: string;
  /** Ids of the channels that were tried, in order. */
  readonly usedChannels: readonly number[];
  /** The key that served the call; undefined where the channel has one key only. */
  readonly upstreamKey?: string | undefined;
  /** Whole milliseconds. */
  readonly durationMs: number;
  /** Milliseconds until the provider's first data; null for non-streaming responses. */
  readonly firstByteMs: number | null;
  readonly reasoningEffort?: string | undefined;
  /** Optional fields that were removed because the provider does not support them. */
  readonly dropped?: readonly string[] | undefined;
  /** Absent for calls without a session. */
  readonly affinity?: AffinityResult | undefined;
  /** Set when the content is stored in `captured_contents`. */
  readonly isCaptured?: true | undefined;
  /** Absent for calls without a plan. */
  readonly payment?: Call['payment'];
  /** Guardrails that matched. Absent when no rule concerns the caller. */
  readonly guardrails?: readonly GuardNote[] | undefined;
  /** Fields that the endpoint's tariff adds or replaces. */
  readonly notes?: Readonly<Record<string, unknown>> | undefined;
  /** The tariff's own log text. */
  readonly line?: string | undefined;
  /** Whether prices in USD were charged, and not ratios. */
  readonly isInUsd: boolean;
  /** The cost of the call. */
  readonly cost: CostNotes;
  /** The aborted attempt, if two attempts ran at the same time. */
  readonly aborted?: AbortedNote | undefined;
  readonly clientGone: boolean;
  /** Wire code of the failure that interrupted a stream. */
  readonly brokenBy?: string | undefined;
  /** True when usage was counted here, because the provider's report was missing or incomplete. */
  readonly counted: boolean;
  /** Maximum output tokens that the balance paid for, when the call asked for more. */
  readonly outputLimit?: number | undefined;
  /** Number of output tokens after which this server ended the stream. */
  readonly stoppedAt?: number | undefined;
  /** The provider's usage report, when less is charged. */
  readonly reduced?: Usage | undefined;
  /** The texts of the call (option LogChatContentEnabled). */
  readonly content?: Readonly<Record<string, string>> | undefined;
}

const neverSet = -1000;

/** Returns the keys of docs/reference/relay/usage-log.md#the-other-field. Undefined keys are not written. */
export function logOther(facts: CallFacts): Record<string, unknown> {
  const { price, usage } = facts;
  const factors = price.shown;
  const mapped = facts.upstreamModel !== facts.bareModel;
  // One literal is used, because an object that begins with a spread takes four times as long to create.
  const other: Record<string, unknown> = {
    model_ratio: factors.modelRatio,
    completion_ratio: factors.completionRatio,
    model_price: factors.modelPrice,
    cache_ratio: factors.cacheRatio,
    group_ratio: price.groupRatio,
    price_version: price.version,
    cache_tokens: usage.cachedTokens,
    cache_creation_tokens: when(usage.cacheWriteTokens > 0, usage.cacheWriteTokens),
    cache_creation_ratio: when(usage.cacheWriteTokens > 0, factors.cacheWriteRatio),
    cache_creation_1h_tokens: usage.details?.cacheWrite1hTokens || undefined,
    quota_per_unit: when(facts.isInUsd, facts.quotaPerUnit),
    frt: facts.firstByteMs ?? neverSet,
    duration_ms: facts.durationMs,
    group: facts.group,
    asked_group: facts.asked && when(facts.asked.group !== facts.group, facts.asked.group),
    asked_model: facts.asked && when(facts.asked.model !== facts.requestedModel, facts.asked.model),
    request_path: facts.requestPath,
    ip: facts.address,
    reasoning_tokens: when(usage.reasoningTokens > 0, usage.reasoningTokens),
    reasoning_effort: facts.reasoningEffort,
    price_when: usage.details?.when,
    cache_beside_prompt: usage.details?.cacheIsBeside,
    is_model_mapped: when(mapped, true),
    upstream_model_name: when(mapped, facts.upstreamModel),
    dropped_parameters: facts.dropped,
    affinity: facts.affinity,
    counted_locally: when(facts.counted, true),
    client_gone: when(facts.clientGone, true),
    plan_overflow: facts.payment && overflowNote(facts.payment),
    output_limited_by_balance: facts.outputLimit,
    stream_stopped_at: facts.stoppedAt,
    stream_error: facts.brokenBy,
    admin_info: {
      use_channel: facts.usedChannels.map(String),
      upstream_key: facts.upstreamKey,
      aborted_attempt: facts.aborted,
      upstream_cost: facts.cost.upstream_cost,
      cost_basis: facts.cost.cost_basis,
      cost_card: facts.cost.cost_card,
      cost_factor: facts.cost.cost_factor,
      cost_lines: facts.cost.cost_lines,
      guardrails: facts.guardrails && when(facts.guardrails.length > 0, facts.guardrails),
      captured: facts.isCaptured,
      reported_usage: facts.reduced && reportedTokens(facts.reduced),
    },
  };
  return facts.notes || facts.content ? Object.assign(other, facts.notes, facts.content) : other;
}

const when = <Value>(applies: boolean, value: Value): Value | undefined => (applies ? value : undefined);

const reportedTokens = ({ promptTokens, completionTokens, details }: Usage): Record<string, number | undefined> => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  web_searches: details?.webSearches || undefined,
  file_searches: details?.fileSearches || undefined,
  code_executions: details?.codeExecutions || undefined,
});

/** The human-readable log text (docs/reference/relay/usage-log.md#log-text). */
export function logContent(facts: CallFacts, loggedModel: string): string {
  const { price, usage } = facts;
  const line = facts.line ?? `${price.text}, group ratio ${price.groupRatio.toFixed(2)}`;
  const collapsed = loggedModel === facts.requestedModel ? '' : `, model ${facts.requestedModel}`;
  const limited =
    facts.outputLimit === undefined ? '' : `, output limited to ${facts.outputLimit} tokens by the balance`;
  const empty = usage.promptTokens + usage.completionTokens === 0 ? ' (possibly upstream timeout)' : '';
  return line + collapsed + limited + empty;
}

/** Keys of the log row's `admin_info`; `upstream_cost` is the cost in USD. */
const unknownCost: CostNotes = {};

/**
 * Returns the cost of a call: as the provider reports it, else by the channel's card, else by the list price.
 * @param sale lines of the charge, if a card priced it
 */
function costOfCall(
  tariff: Tariff,
  { channel, upstreamModel, delivery }: Pick<Served, 'channel' | 'upstreamModel' | 'delivery'>,
  charged: ChargeInput,
  sale: SaleLines | null,
): CostNotes {
  const { usage, bareModel } = charged;
  const reported = usage.chargedUsd ?? delivery.usage?.chargedUsd;
  if (reported !== undefined) return { upstream_cost: reported, cost_basis: 'reported' };
  const price = channel.cost.find(upstreamModel, bareModel);
  if (!price) return unknownCost;
  const { drawn, advised } = usage.details ?? {};
  const shared = drawn
    ? costWithImages({ channel, price }, charged, sale)
    : advised && costWithAdvice({ channel, price }, charged, sale);
  if (shared) return shared;
  if (!tariff.fixedUsage) return costNotes(costOfUsage(price, usage, sale), sale);
  const counted = countedForCost(tariff, price, charged, delivery.usage);
  return counted ? costNotes(costOfUsage(price, counted, counted === usage ? sale : null), sale) : unknownCost;
}

/** Returns the cost of a call in which a tool drew images with a model whose cost is known. Null for other calls. */
function costWithImages(
  { channel, price }: { readonly channel: Served['channel']; readonly price: CostPrice },
  { usage, request }: ChargeInput,
  sale: SaleLines | null,
): CostNotes | null {
  const drawn = usage.details?.drawn;
  if (!drawn || price.card.prices.imageOutput !== undefined) return null;
  const model = request.drawing?.model ?? usualDrawingModel;
  const own = channel.cost.find(model, model);
  if (!own) return null;
  const parts = withoutImages(usage, drawn);
  const cost = withOtherCost(costOfUsage(price, parts.call, null), linesOfImages(own.card, parts.images), own.factor);
  return notesOfParts(cost, sale);
}

/** Returns the cost of a call for which another model gave advice and whose cost is known. Null for other calls. */
function costWithAdvice(
  { channel, price }: { readonly channel: Served['channel']; readonly price: CostPrice },
  { usage, request }: ChargeInput,
  sale: SaleLines | null,
): CostNotes | null {
  const advised = usage.details?.advised;
  const model = advised?.model ?? request.advisor?.model;
  const own = model === undefined ? null : channel.cost.find(model, model);
  if (!advised || !own) return null;
  const parts = withoutAdvice(usage, advised);
  const lines = linesOfUsage(own.card, parts.advice);
  return notesOfParts(withOtherCost(costOfUsage(price, parts.call, null), lines, own.factor), sale);
}

function notesOfParts(cost: ReturnType<typeof withOtherCost>, sale: SaleLines | null): CostNotes {
  const isSold = sale && JSON.stringify(cost.lines) === JSON.stringify(sale.lines);
  return costNotes(isSold ? { ...cost, lines: sale.lines } : cost, sale);
}

/**
 * Returns the usage for the cost of endpoints that may charge by the request: the cost card may count quantities that
 * the sale does not, such as the tokens of an image that is sold by the piece. Null when the provider did not report
 * them.
 */
function countedForCost(
  tariff: Tariff,
  { card }: CostPrice,
  { request, usage, price }: ChargeInput,
  reported: Usage | null,
): Usage | null {
  const fixed = tariff.fixedUsage?.(request, card) ?? null;
  if (fixed) return fixed;
  return tariff.fixedUsage?.(request, cardAt(tariff, price)) ? reported : usage;
}

/** Keys of the log row's `admin_info.aborted_attempt`. */
interface AbortedNote {
  /** Id of the channel, as text. */
  readonly channel: string;
  readonly after_ms: number;
  /** The maximum USD that its provider may bill (the cost of the whole call), if it is known. */
  readonly possible_cost?: number | undefined;
}

/** Returns the log entry of an attempt that was aborted because another one was faster. */
function abortedNote({ channel, afterMs }: AbortedAttempt, charged: ChargeInput): AbortedNote {
  const price = channel.cost.find(charged.upstreamModel, charged.bareModel);
  const cost = price ? costOfUsage(price, charged.usage, null).usd : undefined;
  return { channel: String(channel.id), after_ms: afterMs, possible_cost: cost };
}
