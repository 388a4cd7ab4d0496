import type { OptionValues } from '../../options/option.service.js';
import { type CostNotes, type Price, collapseGizmo, type Rounded } from '../../billing/prices/index.js';
import type { Charge, Ledger } from '../../billing/ledger/index.js';
import { isAppError } from '../../shared/errors.js';
import type { AffinityResult } from '../route/affinity/session-affinity.js';
import type { Served } from '../send/attempts.js';
import type { ChargeInput, Tariff } from '../endpoint.js';
import { RelayError } from '../../dialects/errors/relay-error.js';
import { countPrompt } from '../reserve/metering/prompt-tokens.js';
import { orderedSearches } from '../reserve/metering/server-tools.js';
import { mayHideOutput } from '../reserve/metering/hidden-output.js';
import { finalUsage, type Metered } from '../reserve/metering/text-meter.js';
import { noUsage, type Usage, type UsageDetails } from '../../shared/usage.js';
import type { GuardNote } from '../admit/guardrails/call-guard.js';
import { adviceOf, billOf, cardOf, type ChargeRecord, drawingOf } from '../reserve/call-charge.js';
import { abortedNote, costOfCall, type AbortedNote } from './call-cost.js';
import { chatContent } from '../observe/chat-content.js';
import { type Estimate } from '../reserve/estimate.js';
import { leastCharge, withPossibleTokens, withPossibleTools } from '../reserve/possible-usage.js';
import type { UsageExcess } from '../observe/usage-alarm.js';
import type { Call } from '../call.js';
import type { Reserved } from '../reserve/reserve.js';

/** The result of charging a call. */
export interface Billed {
  readonly usage: Usage;
  readonly quota: number;
  /** The user's new balance; null when unknown. */
  readonly userQuota: number | null;
  /** The provider's usage report, when it exceeds what is charged. */
  readonly excess: UsageExcess | null;
}

/** Charges a served call for its usage. Resolves when the charge is durable. */
export function settleCall(
  ordered: Call,
  served: Served,
  clientGone: boolean,
  reserved: Pick<Reserved, 'call' | 'reservation' | 'estimate'>,
  ledger: Ledger,
  values: OptionValues,
): Promise<Billed> {
  const { delivery, meter } = served;
  const call = ordered.request.images ? withMade(sentBy(ordered, served), served) : ordered;
  // A stream that was ended here has no usage report.
  const isCut = delivery.refused?.isEarly === true;
  const complete = delivery.end.kind === 'complete' && delivery.stoppedAt === undefined && !isCut;
  const { tariff } = call.endpoint;
  const { upstreamModel } = served;
  const isDisconnected = delivery.end.kind === 'client_gone';
  const fixed = tariff.fixedUsage?.(call.request, cardOf(call)) ?? null;
  // A report without output may be wrong: see `finalUsage`.
  const known = fixed ?? (complete && delivery.usage && delivery.usage.completionTokens > 0 ? delivery.usage : null);
  const settle = (found: Usage): Promise<Billed> =>
    settleUsage(call, served, { found, isFixed: fixed !== null, clientGone }, reserved, ledger, values);
  if (known) return settle(known);
  return usageOf(tariff, call, delivery.details, {
    reported: delivery.usage,
    complete,
    clientGone: isDisconnected,
    meter,
    report: () => delivery.report(),
    countPrompt: () => countPrompt(tariff.prompt(call.request, upstreamModel), upstreamModel),
    hiddenOutput:
      (isDisconnected || isCut) && mayHideOutput(call.admission.bareModel, call.request.body)
        ? reservedOutput(reserved)
        : 0,
  }).then(settle);
}

/** Returns the call with the number of images that the channel requested. */
function sentBy(ordered: Call, { channel }: Served): Call {
  const images = ordered.overridden?.get(channel.id)?.images;
  return images ? { ...ordered, request: { ...ordered.request, images } } : ordered;
}

/**
 * Corrects the number of images of a call. The provider may generate fewer images than requested: of a series, or
 * because it filters some. The override of a channel may request more, in a field that only its provider knows. The
 * provider's report takes precedence over the count here. If the client disconnected, all requested images are assumed
 * to be generated.
 */
function withMade(ordered: Call, { channel, delivery: { end, usage, details } }: Served): Call {
  const { images } = ordered.request;
  const made = end.kind === 'complete' ? (usage?.details?.images ?? details?.images) : undefined;
  if (!images || !made || made === images.count) return ordered;
  if (made > images.count && !channel.overridesPrice) return ordered;
  return { ...ordered, request: { ...ordered.request, images: { ...images, count: made } } };
}

/** The usage of a call, and how it was determined. */
interface FoundUsage {
  readonly found: Usage;
  /** Whether it was known before the call. */
  readonly isFixed: boolean;
  readonly clientGone: boolean;
}

function settleUsage(
  call: Call,
  served: Served,
  { found, isFixed, clientGone }: FoundUsage,
  { reservation, estimate }: Pick<Reserved, 'reservation' | 'estimate'>,
  ledger: Ledger,
  values: OptionValues,
): Promise<Billed> {
  const { tariff } = call.endpoint;
  const { delivery, upstreamModel } = served;
  const counted = withOrderedSearches(found, call, served);
  const reported = tariff.counted?.(counted) ?? counted;
  const usage = isFixed ? reported : possibleUsage(call, reported, values);
  const charged: ChargeInput = {
    request: call.request,
    price: call.price,
    usage,
    drawing: drawingOf(call, usage),
    advice: adviceOf(call, usage),
    bareModel: call.admission.bareModel,
    upstreamModel,
  };
  const { charge: price, record, sale } = billOf(tariff, charged, values.QuotaPerUnit);
  const cost = costOfCall(tariff, served, charged, sale);
  const aborted = served.aborted && abortedNote(served.aborted, charged);
  if (values.LogChatContentEnabled || call.capture) reportOnce(served);
  const countedHere = found !== delivery.usage && !isFixed;
  const reduced = usage === reported ? null : reported;
  const facts = factsOf(
    call,
    served,
    charged,
    { clientGone, countedHere, estimate, reduced, record, cost, aborted },
    values,
  );
  const least =
    estimate && price.quota > estimate.amount
      ? leastCharge(call, usage, { estimate, sentTokens: delivery.stoppedAt ?? 0 }, values)
      : undefined;
  const charge = toCharge(call, served, facts, { ...price, least }, values);
  return ledger.settle(reservation, charge).then(({ userQuota, uncharged }): Billed => {
    const kind = reduced ? 'impossible' : uncharged > 0 ? 'unreserved' : null;
    return { usage, quota: price.quota - uncharged, userQuota, excess: kind ? { kind, reported } : null };
  });
}

/**
 * Returns the usage that a call is charged for (docs/reference/relay/billing.md#usage-that-cannot-be): no more than its
 * model can take and produce, and no more tool calls than one response needs.
 * @returns the same object when nothing in it is impossible
 */
function possibleUsage(call: Call, usage: Usage, values: OptionValues): Usage {
  const possible = usage.details ? withPossibleTools(usage, usage.details) : usage;
  return isOrdinary(call, possible) ? possible : withPossibleTokens(call, possible, values);
}

/** Whether the usage is so small that every model can have it. */
const isOrdinary = ({ rawBody }: Call, { promptTokens, completionTokens }: Usage): boolean =>
  promptTokens <= Math.min(4096, rawBody.length) && completionTokens <= 1024;

/** Adds the searches that the call requests, if the provider reports none and the call was served. */
function withOrderedSearches(usage: Usage, { request, endpoint }: Call, { dropped }: Served): Usage {
  const { tools, enable_search: search } = request.body;
  if (tools === undefined && search === undefined) return usage;
  const isEmpty = usage.promptTokens + usage.completionTokens === 0;
  if (isEmpty || !endpoint.limitOutput || usage.details?.webSearches) return usage;
  const webSearches = orderedSearches(request.body, dropped);
  return webSearches > 0 ? { ...usage, details: { ...usage.details, webSearches } } : usage;
}

/** Returns the usage that is charged. If the provider reports none, the endpoint's assumed output is added. */
async function usageOf(
  tariff: Tariff,
  { request }: Call,
  details: UsageDetails | undefined,
  metered: Metered,
): Promise<Usage> {
  const usage = await finalUsage(metered);
  if (metered.reported || usage === noUsage) return usage;
  return { ...usage, ...(details ? { details } : null), ...tariff.unreportedOutput?.(request) };
}

/** Returns the output tokens of the reservation, or the client's own limit if the old estimate has none. */
const reservedOutput = ({ call, estimate }: Pick<Reserved, 'call' | 'estimate'>): number =>
  estimate?.askedTokens ?? call.request.maxOutput;

/** Passes the response to the transcript at most once, and only if it is needed: a second time would count it twice. */
function reportOnce({ meter, delivery }: Served): void {
  if (!meter.hasOutput) delivery.report();
}

function toCharge(
  call: Call,
  served: Served,
  facts: CallFacts,
  { quota, rest, least }: Rounded & { readonly least: number | undefined },
  values: OptionValues,
): Charge {
  const { user, token } = call.caller;
  const { usage } = facts;
  const modelName = collapseGizmo(call.admission.model);
  return {
    quota,
    rest,
    ...(least === undefined ? null : { least }),
    counted: usage.promptTokens + usage.completionTokens > 0,
    logged: values.LogConsumeEnabled,
    channelId: served.channel.id,
    username: user.username,
    tokenName: token.name,
    modelName,
    group: call.admission.group,
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    cachedTokens: usage.cachedTokens,
    durationMs: facts.durationMs,
    firstTokenMs: facts.firstByteMs,
    upstreamUsd: facts.cost.upstream_cost,
    isStream: served.isStream,
    content: logContent(facts, modelName),
    other: logOther(facts),
  };
}

/** Facts about a call for its log row, besides its usage. */
interface Circumstances {
  readonly clientGone: boolean;
  readonly countedHere: boolean;
  readonly estimate: Estimate | null;
  /** The provider's usage report, when less is charged. */
  readonly reduced: Usage | null;
  readonly record: ChargeRecord;
  readonly cost: CostNotes;
  readonly aborted: CallFacts['aborted'];
}

function factsOf(
  call: Call,
  served: Served,
  charged: ChargeInput,
  { clientGone, countedHere, estimate, reduced, record, cost, aborted }: Circumstances,
  values: OptionValues,
): CallFacts {
  const { end, stoppedAt } = served.delivery;
  const { firstByteAt, reasoningEffort, dropped } = served;
  const { usage } = charged;
  return {
    price: call.price,
    quotaPerUnit: values.QuotaPerUnit,
    usage,
    requestPath: call.path,
    group: call.admission.group,
    requestedModel: call.admission.model,
    asked: call.asked,
    bareModel: call.admission.bareModel,
    upstreamModel: served.upstreamModel,
    usedChannels: served.usedChannels,
    durationMs: Math.max(0, Math.round(performance.now() - call.startedAt)),
    firstByteMs: firstByteAt === null ? null : Math.round((firstByteAt - call.startedAt) * 100) / 100,
    reasoningEffort,
    dropped: dropped && dropped.length > 0 ? dropped : undefined,
    affinity: served.affinity,
    guardrails: call.guard?.notes,
    isCaptured: call.capture && true,
    ...record,
    cost,
    aborted,
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
  readonly group: string;
  readonly requestedModel: string;
  /** The requested group and model, when a fallback served the call. */
  readonly asked?: Call['asked'];
  /** The model without the routing prefix. */
  readonly bareModel: string;
  readonly upstreamModel: string;
  /** Ids of the channels that were tried, in order. */
  readonly usedChannels: readonly number[];
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
    reasoning_tokens: when(usage.reasoningTokens > 0, usage.reasoningTokens),
    reasoning_effort: facts.reasoningEffort,
    service_tier: usage.details?.serviceTier,
    cache_beside_prompt: usage.details?.cacheIsBeside,
    is_model_mapped: when(mapped, true),
    upstream_model_name: when(mapped, facts.upstreamModel),
    dropped_parameters: facts.dropped,
    affinity: facts.affinity,
    counted_locally: when(facts.counted, true),
    client_gone: when(facts.clientGone, true),
    output_limited_by_balance: facts.outputLimit,
    stream_stopped_at: facts.stoppedAt,
    stream_error: facts.brokenBy,
    admin_info: {
      use_channel: facts.usedChannels.map(String),
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
