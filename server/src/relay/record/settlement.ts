import type { OptionValues } from '../../modules/options/option.service.js';
import { collapseGizmo, isFree, type Price } from '../../modules/pricing/price-book.service.js';
import type { Charge, Ledger, Reservation } from '../../modules/quota/ledger.service.js';
import { QuotaError } from '../../modules/quota/postgres-ledger.service.js';
import { AppError, isAppError } from '../../shared/errors.js';
import { formatQuota } from '../../shared/quota.js';
import type { Admission } from '../access/admission.js';
import type { Caller } from '../access/authentication.js';
import type { Usage } from '../usage.js';
import type { Served } from '../attempt/attempts.js';
import { contentOf, otherOf, type CallFacts } from './log-details.js';
import { chatContent } from './chat-content.js';
import type { ChargedCall, Endpoint } from '../call/endpoint.js';
import { finalUsage } from '../metering/final-usage.js';
import type { RelayCall } from '../call/relay-call.js';
import { RelayError } from '../errors/relay-error.js';

/** Everything about a call that its price and its log row need. */
export interface PricedCall {
  readonly requestId: string;
  readonly path: string;
  readonly caller: Caller;
  readonly admission: Admission;
  readonly endpoint: Endpoint;
  readonly call: RelayCall;
  readonly rawBody: Buffer;
  readonly price: Price;
  /** By `performance.now()`. */
  readonly startedAt: number;
}

export interface Billed {
  readonly usage: Usage;
  readonly quota: number;
  /** The user's balance after; null when it is not known. */
  readonly userQuota: number | null;
}

/**
 * Holds what the call may cost (docs/reference/relay/billing.md#reservation). A free call holds nothing and needs no
 * balance.
 */
export async function reserveFor(call: PricedCall, ledger: Ledger, values: OptionValues): Promise<Reservation> {
  const amount = call.endpoint.tariff.reserve(call.price, call.call, call.rawBody, call.admission.bareModel, values);
  try {
    return await ledger.reserve({
      requestId: call.requestId,
      userId: call.caller.user.id,
      tokenId: call.caller.token.id,
      amount,
      priced: !isFree(call.price),
    });
  } catch (error) {
    throw wordedQuotaError(error, values);
  }
}

/** With both amounts, in the site's currency; an empty balance gets the short text clients know. Others stay as they are. */
export function wordedQuotaError(error: unknown, values: OptionValues): unknown {
  if (!(error instanceof QuotaError)) return error;
  const amount = (quota: number): string =>
    formatQuota(quota, { quotaPerUnit: values.QuotaPerUnit, inCurrency: values.DisplayInCurrencyEnabled });
  const ofUser = error.code === 'INSUFFICIENT_QUOTA';
  if (ofUser && error.available <= 0) return new AppError(error.code, 'user quota is not enough', { cause: error });
  const balance = `remaining ${amount(error.available)}, required ${amount(error.needed)}`;
  return new AppError(error.code, `${ofUser ? 'user' : 'token'} quota is not enough, ${balance}`, { cause: error });
}

/** Charges a served call for what it used: resolves when the charge is durable. */
export async function settleCall(
  call: PricedCall,
  served: Served,
  clientGone: boolean,
  reservation: Reservation,
  ledger: Ledger,
  values: OptionValues,
): Promise<Billed> {
  const { delivery, meter } = served;
  const complete = delivery.end.kind === 'complete';
  const { tariff } = call.endpoint;
  const { upstreamModel } = served;
  const found =
    tariff.fixedUsage?.(call.call) ??
    (await finalUsage({
      reported: delivery.usage,
      complete,
      clientGone: delivery.end.kind === 'client_gone',
      meter,
      tell: () => delivery.tell(),
      countPrompt: () => tariff.countPrompt(call.call, upstreamModel),
    }));
  const usage = tariff.counted?.(found) ?? found;
  const charged: ChargedCall = {
    call: call.call,
    price: call.price,
    usage,
    bareModel: call.admission.bareModel,
    upstreamModel,
  };
  const quota = tariff.charge(charged, values.QuotaPerUnit);
  if (values.LogChatContentEnabled) tellOnce(served);
  const countedHere = found !== delivery.usage && !tariff.fixedUsage;
  const facts = factsOf(call, served, charged, { clientGone, countedHere }, values);
  const { userQuota } = await ledger.settle(reservation, toCharge(call, served, facts, quota, values));
  return { usage, quota, userQuota };
}

/** The transcript hears an answer only when something needs it; asking twice would count it twice. */
function tellOnce({ meter, delivery }: Served): void {
  if (!meter.heardAnything) delivery.tell();
}

function toCharge(call: PricedCall, served: Served, facts: CallFacts, quota: number, values: OptionValues): Charge {
  const { user, token } = call.caller;
  const { usage } = facts;
  const modelName = collapseGizmo(call.admission.model);
  return {
    quota,
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
    durationMs: Math.max(0, Math.round(performance.now() - call.startedAt)),
    isStream: served.isStream,
    content: contentOf(facts, modelName),
    other: otherOf(facts),
  };
}

function factsOf(
  call: PricedCall,
  served: Served,
  charged: ChargedCall,
  { clientGone, countedHere }: { readonly clientGone: boolean; readonly countedHere: boolean },
  values: OptionValues,
): CallFacts {
  const { end } = served.delivery;
  const { firstByteAt, reasoningEffort, dropped } = served;
  const { tariff } = call.endpoint;
  const { usage } = charged;
  const line = tariff.line?.(charged) ?? null;
  return {
    price: call.price,
    quotaPerUnit: values.QuotaPerUnit,
    usage,
    requestPath: call.path,
    group: call.admission.group,
    requestedModel: call.admission.model,
    bareModel: call.admission.bareModel,
    upstreamModel: served.upstreamModel,
    usedChannels: served.usedChannels,
    firstByteMs: firstByteAt === null ? null : Math.round((firstByteAt - call.startedAt) * 100) / 100,
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    ...(dropped === undefined || dropped.length === 0 ? {} : { dropped }),
    ...(tariff.notes ? { notes: tariff.notes(charged) } : {}),
    ...(line === null ? {} : { line }),
    clientGone,
    counted: countedHere,
    ...(end.kind === 'broken' ? { brokenBy: brokenBy(end.error) } : {}),
    ...(values.LogChatContentEnabled ? { content: chatContent(call.call.body, served.meter.transcript) } : {}),
  };
}

function brokenBy(error: unknown): string {
  if (error instanceof RelayError) return error.wireCode;
  return isAppError(error) ? error.code.toLowerCase() : 'upstream_error';
}
