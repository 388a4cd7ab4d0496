import { requestedSearches } from '../../dialects/server-tools.js';
import type { OptionValues } from '../../options/option.service.js';
import { dearestCondition, toolsRun, type Rounded } from '../../billing/prices/index.js';
import type { Charge, Ledger } from '../../billing/ledger/index.js';
import type { Served } from '../send/attempts.js';
import type { ChargeInput, Tariff } from '../endpoint.js';
import { countPrompt } from '../reserve/metering/prompt-tokens.js';
import { conditionsAskedFor, toolsSent } from '../reserve/metering/unpriced-tools.js';
import { mayHideOutput } from '../reserve/metering/hidden-output.js';
import { finalUsage, isWhole, type Metered } from '../reserve/metering/text-meter.js';
import { noUsage, type Usage, type UsageDetails } from '../../shared/usage.js';
import { adviceOf, billOf, cardOf, drawingOf } from '../reserve/call-charge.js';
import { factsOf, logContent, logOther, type CallFacts } from './call-record.js';
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
  requested: Call,
  served: Served,
  clientGone: boolean,
  reserved: Pick<Reserved, 'call' | 'reservation' | 'estimate'>,
  ledger: Ledger,
  values: OptionValues,
): Promise<Billed> {
  const { delivery, meter } = served;
  const call = requested.request.images ? withMade(sentBy(requested, served), served) : requested;
  // A stream that was ended here has no usage report.
  const isCut = delivery.refused?.isEarly === true;
  const complete = delivery.end.kind === 'complete' && delivery.stoppedAt === undefined && !isCut;
  const { tariff } = call.endpoint;
  const { upstreamModel } = served;
  const isDisconnected = delivery.end.kind === 'client_gone';
  const fixed = tariff.fixedUsage?.(call.request, cardOf(call)) ?? null;
  // A report without output or without a prompt may be wrong: see `finalUsage`.
  const known = fixed ?? (complete && delivery.usage && isWhole(delivery.usage) ? delivery.usage : null);
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
      (isDisconnected || isCut) && mayHideOutput(call.route.bareModel, call.request.body)
        ? reservedOutput(reserved)
        : 0,
  }).then(settle);
}

/** Returns the call with the number of images that the channel requested. */
function sentBy(requested: Call, { channel }: Served): Call {
  const images = requested.overridden?.get(channel.id)?.images;
  return images ? { ...requested, request: { ...requested.request, images } } : requested;
}

/**
 * Corrects the number of images of a call. The provider may generate fewer images than requested: of a series, or
 * because it filters some. The override of a channel may request more, in a field that only its provider knows. The
 * provider's report takes precedence over the count here. If the client disconnected, all requested images are assumed
 * to be generated.
 */
function withMade(requested: Call, { channel, delivery: { end, usage, details } }: Served): Call {
  const { images } = requested.request;
  const made = end.kind === 'complete' ? (usage?.details?.images ?? details?.images) : undefined;
  if (!images || !made || made === images.count) return requested;
  if (made > images.count && !channel.overridesPrice) return requested;
  return { ...requested, request: { ...requested.request, images: { ...images, count: made } } };
}

/** The usage of a call, and how it was determined. */
interface FoundUsage {
  readonly found: Usage;
  /** Whether it was known before the call. */
  readonly isFixed: boolean;
  readonly clientGone: boolean;
}

function settleUsage(
  requested: Call,
  served: Served,
  { found, isFixed, clientGone }: FoundUsage,
  { reservation, estimate }: Pick<Reserved, 'reservation' | 'estimate'>,
  ledger: Ledger,
  values: OptionValues,
): Promise<Billed> {
  const { tariff } = requested.endpoint;
  const { delivery, upstreamModel } = served;
  const countedHere = found !== delivery.usage && !isFixed;
  const reported = withAsked(found, countedHere, requested, served, values);
  const usage = isFixed ? reported : possibleUsage(requested, reported, values);
  const call = values.UnpricedTools === 'free' ? requested : withToolPrices(requested, usage, upstreamModel);
  const charged: ChargeInput = {
    request: call.request,
    price: call.price,
    usage,
    drawing: drawingOf(call, usage),
    advice: adviceOf(call, usage),
    bareModel: call.route.bareModel,
    upstreamModel,
  };
  const { charge: price, record, sale } = billOf(tariff, charged, values.QuotaPerUnit);
  if (values.LogChatContentEnabled || call.capture) reportOnce(served);
  const reduced = usage === reported ? null : reported;
  const facts = factsOf(call, served, charged, { clientGone, countedHere, estimate, reduced, record, sale }, values);
  const least =
    estimate && price.quota > estimate.amount
      ? leastCharge(call, usage, { estimate, sentTokens: delivery.stoppedAt ?? 0 }, values)
      : undefined;
  const charge = toCharge(call, served, facts, { quota: price.quota, rest: price.rest, least }, values);
  return ledger.settle(reservation, charge).then(({ userQuota, uncharged }): Billed => {
    const kind = reduced ? 'impossible' : uncharged > 0 ? 'unreserved' : null;
    return { usage, quota: price.quota - uncharged, userQuota, excess: kind ? { kind, reported } : null };
  });
}

/** Returns the usage that the endpoint counts, with what the provider was asked for and did not report. */
function withAsked(found: Usage, countedHere: boolean, call: Call, served: Served, values: OptionValues): Usage {
  const conditioned = countedHere ? withAskedCondition(found, call, served, values) : found;
  const usage = withRequestedSearches(conditioned, call, served);
  return call.endpoint.tariff.counted?.(usage) ?? usage;
}

/** Adds the prices of tools that ran in the call although its price does not have them. */
function withToolPrices(call: Call, usage: Usage, upstreamModel: string): Call {
  const price = call.prices.withToolsOf(call.price, upstreamModel, toolsRun(usage));
  return price === call.price ? call : { ...call, price };
}

/**
 * Returns the usage that a call is charged for (docs/reference/relay/billing.md#usage-that-cannot-be): no more than its
 * model can take and produce, and no more tool calls than one response needs.
 * @returns the same object when nothing in it is impossible
 */
const possibleUsage = (call: Call, usage: Usage, values: OptionValues): Usage =>
  isOrdinary(call, usage) ? usage : withPossibleTokens(call, withPossibleTools(usage), values);

/** Whether the usage is so small that every model can have it. */
const isOrdinary = ({ rawBody }: Call, { promptTokens, completionTokens, details }: Usage): boolean =>
  !details && promptTokens <= Math.min(4096, rawBody.length) && completionTokens <= 1024;

/**
 * Adds the dearest tier, region or search size that the provider was asked for, if it reported no usage. A report without
 * one is a report of the standard condition. A cheaper one counts only where it is reported: the provider may have ignored it.
 */
function withAskedCondition(usage: Usage, call: Call, served: Served, values: OptionValues): Usage {
  const { delivery, dropped, channel } = served;
  if (delivery.usage || usage.details?.when || usage === noUsage || !call.mayCostMore) return usage;
  const { body } = call.overridden?.get(channel.id) ?? call.request;
  const asked = conditionsAskedFor(body, (name) => toolsSent([name], dropped).length > 0);
  const when = dearestCondition(call.price.card, usage, asked, values.QuotaPerUnit);
  return when ? { ...usage, details: { ...usage.details, when } } : usage;
}

/** Adds the searches that the call requests, if the provider reports none and the call was served. */
function withRequestedSearches(usage: Usage, { request, endpoint, mayCostMore }: Call, { dropped }: Served): Usage {
  const isEmpty = usage.promptTokens + usage.completionTokens === 0;
  if (isEmpty || !endpoint.limitOutput || usage.details?.webSearches || !mayCostMore) return usage;
  const webSearches = requestedSearches(request.body, (name) => toolsSent([name], dropped).length > 0);
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
  const modelName = call.loggedModel;
  return {
    quota,
    rest,
    least,
    counted: usage.promptTokens + usage.completionTokens > 0,
    logged: values.LogConsumeEnabled,
    channelId: served.channel.id,
    username: user.username,
    tokenName: token.name,
    modelName,
    group: call.route.group,
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
