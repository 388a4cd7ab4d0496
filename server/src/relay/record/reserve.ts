import type { OptionValues } from '../../modules/options/option.service.js';
import { collapseGizmo, isFree, type CardPrice } from '../../modules/pricing/price-book.service.js';
import { QuotaError, type Ledger, type Reservation } from '../../modules/quota/ledger.service.js';
import { AppError } from '../../shared/errors.js';
import { formatQuota } from '../../shared/quota.js';
import { estimatePrompt } from '../metering/prompt-tokens.js';
import { requestTraits } from '../metering/request-traits.js';
import {
  ampleCover,
  boundFor,
  chargeFor,
  costOf,
  countedPrompt,
  coverOf,
  wantedFor,
  type CallCost,
  type Cover,
  type Wanted,
} from './cover.js';
import type { PricedCall } from './priced-call.js';

/** A call whose reservation is made. */
export interface ReservedCall {
  /** As it is sent: with the output limit that the reservation pays for. */
  readonly call: PricedCall;
  readonly reservation: Reservation;
  /** Null where the whole charge is known before the call, and where option StrictReserve is off. */
  readonly cover: Cover | null;
}

/** Balances move while calls run in parallel: a refused amount is adapted to the balance so many times. */
const maxTurns = 8;

/**
 * Reserves what the call may cost (docs/reference/relay/billing.md#reservation). A free call reserves nothing and needs no
 * balance. A caller who can pay for the prompt but not for all of the output gets less output.
 * @throws AppError INSUFFICIENT_QUOTA, INSUFFICIENT_TOKEN_QUOTA, naming what is missing; SERVICE_UNAVAILABLE
 */
export async function reserveFor(call: PricedCall, ledger: Ledger, values: OptionValues): Promise<ReservedCall> {
  const cost = values.StrictReserve ? costOf(call, values) : null;
  const cover = cost && ampleCover(call, cost);
  if (cover) {
    try {
      return { call, reservation: await take(call, cover.amount, ledger), cover };
    } catch (error) {
      // The copy of the balance was too old.
      if (!(error instanceof QuotaError)) throw error;
    }
  }
  if (cost) return reserveCover(call, cost, ledger, values);
  try {
    return { call, reservation: await take(call, wholeAmount(call, values), ledger), cover: null };
  } catch (error) {
    throw wordedQuotaError(error, values);
  }
}

/** The charge where it is known before the call, the old estimate elsewhere. */
function wholeAmount(call: PricedCall, values: OptionValues): number {
  const { tariff } = call.endpoint;
  const { price } = call;
  if (price.kind === 'card') return wholeAmountByCard(call, price, values);
  const usage = values.StrictReserve && !isFree(price) ? tariff.fixedUsage?.(call.call, price) : null;
  const estimate = tariff.reserve(price, call.call, call.rawBody, call.admission.bareModel, values);
  return usage ? Math.max(estimate, chargeFor(call, usage, values)) : estimate;
}

function wholeAmountByCard(call: PricedCall, price: CardPrice, values: OptionValues): number {
  const fixed = call.endpoint.tariff.fixedUsage?.(call.call, price);
  if (fixed) return chargeFor(call, fixed, values);
  const { body, maxOutput } = call.call;
  const traits = requestTraits(body);
  return maxOutput > 0
    ? boundFor(price, estimatePrompt(call.rawBody, body, call.admission.bareModel), maxOutput, traits, values)
    : boundFor(price, values.PreConsumedQuota, 0, traits, values);
}

const take = (call: PricedCall, amount: number, ledger: Ledger): Promise<Reservation> =>
  ledger.reserve({
    requestId: call.requestId,
    userId: call.caller.user.id,
    tokenId: call.caller.token.id,
    modelName: collapseGizmo(call.admission.model),
    amount,
    priced: !isFree(call.price),
  });

async function reserveCover(
  call: PricedCall,
  cost: CallCost,
  ledger: Ledger,
  values: OptionValues,
): Promise<ReservedCall> {
  const wanted = wantedFor(cost, await countedPrompt(call));
  const reservation = await takeWhatIsThere(call, wanted, ledger, values);
  const made = coverOf(cost, wanted, reservation.amount);
  return { call: made.limited ? limitedCall(call, made.outputTokens / cost.choices) : call, reservation, cover: made };
}

/** All that is wanted, else what the balance has, as long as that is worth a call. */
async function takeWhatIsThere(
  call: PricedCall,
  wanted: Wanted,
  ledger: Ledger,
  values: OptionValues,
): Promise<Reservation> {
  for (let turn = 1, amount = wanted.amount; ; turn++) {
    try {
      return await take(call, amount, ledger);
    } catch (error) {
      if (!(error instanceof QuotaError)) throw error;
      if (error.available < wanted.least || error.available <= 0 || turn === maxTurns) {
        throw wordedQuotaError(new QuotaError(error.code, error.available, wanted.least), values, wanted);
      }
      amount = Math.min(wanted.amount, error.available);
    }
  }
}

/** The call with less output, in the client's own dialect. */
function limitedCall(call: PricedCall, outputTokens: number): PricedCall {
  const body = call.endpoint.limitOutput?.(call.call.body, outputTokens);
  if (!body) return call;
  const rawBody = Buffer.from(JSON.stringify(body));
  const { sent } = call.call;
  const limited = { ...call.call, body, maxOutput: outputTokens, ...(sent ? { sent: { ...sent, rawBody } } : {}) };
  return { ...call, call: limited, rawBody };
}

/** With both amounts, in the site's currency; an empty balance gets the short text clients know. Others stay as they are. */
export function wordedQuotaError(error: unknown, values: OptionValues, wanted?: Wanted): unknown {
  if (!(error instanceof QuotaError)) return error;
  const amount = (quota: number): string =>
    formatQuota(quota, { quotaPerUnit: values.QuotaPerUnit, inCurrency: values.DisplayInCurrencyEnabled });
  const ofUser = error.code === 'INSUFFICIENT_QUOTA';
  if (ofUser && error.available <= 0) return new AppError(error.code, 'user quota is not enough', { cause: error });
  const balance = `remaining ${amount(error.available)}, required ${amount(error.needed)}`;
  const purpose = wanted ? ` for ${wanted.promptTokens} prompt and ${wanted.leastOutput} output tokens` : '';
  return new AppError(error.code, `${ofUser ? 'user' : 'token'} quota is not enough, ${balance}${purpose}`, {
    cause: error,
  });
}
