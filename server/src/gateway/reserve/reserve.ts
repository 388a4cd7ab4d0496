import type { OptionValues } from '../../options/option.service.js';
import { hasLines, reserveOf, modelLimits, roundedUp } from '../../billing/prices/index.js';
import {
  BudgetError,
  type BudgetHold,
  type Ledger,
  QuotaError,
  type Reservation,
  type ReserveRequest,
  SubscriptionEndedError,
} from '../../billing/ledger/index.js';
import { AppError } from '../../shared/errors.js';
import { formatQuota } from '../../shared/quota.js';
import type { CallPlan } from '../admit/call-budgets.js';
import type { RateLease } from '../admit/call-rates.js';
import { estimatePrompt } from './metering/prompt-tokens.js';
import { choicesOf, requestTraits } from './metering/request-traits.js';
import {
  ample,
  bytesOf,
  countedPrompt,
  estimateOf,
  minOutput,
  toolLimit,
  wantedFor,
  type Estimate,
  type Wanted,
} from './estimate.js';
import { boundFor, cardOf, chargeFor, costOf, largestPrompt, type CallCost } from './call-charge.js';
import type { Call } from '../call.js';

/** A call whose reservation is made. */
export interface Reserved {
  /** The call as it is sent: with the output limit that the reservation pays for. */
  readonly call: Call;
  readonly reservation: Reservation;
  /** The call's count under limits per minute. Absent when there are none. */
  readonly rates?: RateLease | undefined;
  /** Null when the whole charge is known before the call, and when the option StrictReserve is off. */
  readonly estimate: Estimate | null;
}

/** Tokens of instructions that providers add before the prompt of a request. */
const ownInstructions = 16_384;
/** Output tokens by which a provider may exceed the client's limit. */
const limitTolerance = 2048;
/** Maximum attempts to adapt a refused amount to the balance. The balance changes while calls run in parallel. */
const maxAttempts = 8;

/**
 * Reserves what the call may cost (docs/reference/relay/billing.md#reservation). A free call reserves nothing and needs
 * no balance. A caller who can pay for the prompt but not for all of the output gets less output. Budgets limit output
 * in the same way.
 * @throws AppError INSUFFICIENT_QUOTA, INSUFFICIENT_TOKEN_QUOTA, naming the missing amount; BudgetError;
 * SERVICE_UNAVAILABLE
 */
export function reserveFor(call: Call, ledger: Ledger, values: OptionValues): Promise<Reserved> {
  const asSent = call.overridden ? dearestOf(call, call.overridden, values) : call;
  const cost = values.StrictReserve ? costOf(asSent, values) : null;
  const estimate = cost && ampleEstimate(asSent, cost);
  if (!estimate) return reserveClosely({ call, asSent }, cost, ledger, values);
  const taken = { amount: estimate.amount, tokens: estimate.promptTokens + estimate.outputTokens };
  // Callbacks are used because most calls come here: an async function costs five times as much memory.
  return take(call, taken, ledger).then(
    (reservation) => ({ call, reservation, estimate }),
    (error: unknown) => {
      // The cached balance was outdated, or the generous amount does not fit into a budget.
      if (!(error instanceof QuotaError) && !(error instanceof BudgetError)) throw error;
      if (error instanceof BudgetError && error.available === 0) throw error;
      return reserveClosely({ call, asSent }, cost, ledger, values);
    },
  );
}

/**
 * The reservation of a call whose caller can pay for many such calls. A prompt has no more tokens than bytes, so
 * nothing is counted, and the reservation covers what a provider adds.
 * @returns null when the balance is not that large
 */
function ampleEstimate(call: Call, cost: CallCost): Estimate | null {
  const { user, token } = call.caller;
  const { traits } = cost;
  const promptTokens = (traits.hasMedia ? bytesOf(call) : call.rawBody.length) + ownInstructions;
  const outputTokens = cost.outputTokens + (call.request.maxOutput > 0 ? limitTolerance : 0);
  const amount = cost.of(largestPrompt(cost, promptTokens), outputTokens);
  const needed = ample * amount;
  if (user.quota < needed || (!token.unlimitedQuota && token.remainQuota < needed)) return null;
  const askedTokens = cost.outputTokens;
  return {
    amount,
    promptTokens,
    outputTokens,
    askedTokens,
    limited: false,
    traits,
  };
}

interface Asked {
  readonly call: Call;
  /** The call as its most expensive channel gets it. */
  readonly asSent: Call;
}

/** Returns the call as sent by the channel whose override makes it most expensive. */
function dearestOf(call: Call, overridden: NonNullable<Call['overridden']>, values: OptionValues): Call {
  const sent = [...overridden.values()].map((each): Call => ({ ...call, request: each }));
  const amountOf = (each: Call): number => {
    const cost = values.StrictReserve ? costOf(each, values) : null;
    return cost ? cost.of(call.rawBody.length, cost.outputTokens) : wholeAmount(each, values);
  };
  return sent.reduce((dearest, each) => (amountOf(each) > amountOf(dearest) ? each : dearest), call);
}

async function reserveClosely(
  asked: Asked,
  cost: CallCost | null,
  ledger: Ledger,
  values: OptionValues,
): Promise<Reserved> {
  if (cost) return reserveEstimate(asked, cost, ledger, values);
  try {
    return await reserveWhole(asked, wholeAmount(asked.asSent, values), ledger, values);
  } catch (error) {
    throw wordedQuotaError(error, values);
  }
}

/**
 * Reserves a call whose charge is known before it, or is estimated by the old formula. A budget of tokens may have room
 * for less output.
 */
async function reserveWhole(
  { call, asSent }: Asked,
  amount: number,
  ledger: Ledger,
  values: OptionValues,
): Promise<Reserved> {
  const prompt = call.budgets?.countsTokens ? await countedPrompt(asSent) : 0;
  try {
    const tokens = prompt && prompt + outputOf(asSent, values);
    return { call, reservation: await take(call, { amount, tokens }, ledger), estimate: null };
  } catch (error) {
    if (!(error instanceof BudgetError) || error.hold.kind !== 'tokens' || mustBeWhole(call, error)) throw error;
    const output = Math.floor((error.available - prompt) / choicesOf(asSent.request.body));
    if (output < minOutput || !call.endpoint.limitOutput) throw error;
    const limited = limitedCall(call, output);
    return {
      call: limited,
      reservation: await take(limited, { amount, tokens: error.available }, ledger),
      estimate: null,
    };
  }
}

/** Returns the maximum output tokens of all choices together; 0 for an endpoint without output tokens. */
function outputOf({ request, endpoint, route }: Call, values: OptionValues): number {
  if (!endpoint.limitOutput) return 0;
  const known = request.maxOutput || modelLimits(route.bareModel, values.ModelMaxOutput).maxOutput;
  return (known || values.StrictReserveOutput) * choicesOf(request.body);
}

/** Returns the charge if it is known before the call, and otherwise the old estimate. */
export function wholeAmount(call: Call, values: OptionValues): number {
  const { tariff } = call.endpoint;
  const { price, request, rawBody, route } = call;
  const card = cardOf(call);
  const fixed = tariff.fixedUsage?.(request, card);
  const charge = fixed ? roundedUp(chargeFor(call, fixed, values)) : 0;
  const isLimited = request.maxOutput > 0 && card.perCall === undefined;
  const promptTokens = isLimited ? estimatePrompt(rawBody, request.body, route.bareModel) : values.PreConsumedQuota;
  if (hasLines(card)) {
    const traits = requestTraits(call);
    return fixed ? charge : boundFor(card, price.groupRatio, promptTokens, request.maxOutput, traits, values);
  }
  if (tariff.times) return charge;
  const estimate = reserveOf(card, promptTokens + request.maxOutput, price.groupRatio, values.QuotaPerUnit);
  return values.StrictReserve ? Math.max(estimate, charge) : estimate;
}

/** Whether a call that does not fit into its plan with its whole output is paid otherwise. */
const mustBeWhole = ({ payment }: Call, error: unknown): boolean =>
  payment !== undefined && payment.isPaidByPlan && !payment.mayBeLimited && isOfPlan(payment.plan, error);

/** The amounts that are reserved in the balance and in budgets. */
interface Taken {
  readonly amount: number;
  readonly tokens: number;
}

/**
 * Reserves the amounts. A priced call reserves at least one unit: it may be the call that charges the fractions that
 * its user has accumulated.
 */
function take(call: Call, taken: Taken, ledger: Ledger): Promise<Reservation> {
  const priced = !call.price.isFree;
  const amount = priced ? Math.max(1, taken.amount) : taken.amount;
  const budgets = call.budgets?.holds({ money: amount, tokens: taken.tokens });
  const request = {
    requestId: call.requestId,
    userId: call.caller.user.id,
    tokenId: call.caller.token.id,
    modelName: call.loggedModel,
    amount,
    priced,
  };
  if (call.payment?.isPaidByPlan) return takeFromPlan(call.payment.plan, request, budgets ?? [], ledger);
  return ledger.reserve(budgets ? { ...request, budgets } : request);
}

/** Reserves the amounts in a plan, whose windows are among the holds. */
export function takeFromPlan(
  { id, windows }: CallPlan,
  request: ReserveRequest,
  budgets: readonly BudgetHold[],
  ledger: Ledger,
): Promise<Reservation> {
  // A plan without an open window has ended while the call was prepared.
  const isOpen = budgets.some(({ budgetId }) => windows.some((window) => window.id === budgetId));
  if (!isOpen) return Promise.reject(new SubscriptionEndedError(id));
  return ledger.reserve({ ...request, budgets, subscriptionId: id });
}

/** Whether a reservation failed because this plan has no room. */
export const isOfPlan = ({ windows }: CallPlan, error: unknown): error is BudgetError =>
  error instanceof BudgetError && windows.some(({ id }) => id === error.hold.budgetId);

async function reserveEstimate(
  { call, asSent }: Asked,
  cost: CallCost,
  ledger: Ledger,
  values: OptionValues,
): Promise<Reserved> {
  const promptTokens = await countedPrompt(asSent);
  const { reservation, cost: paid, wanted } = await takeWhatIsThere(call, { cost, promptTokens }, ledger, values);
  const made = limitedTo(cost, estimateOf(paid, wanted, reservation.amount));
  const ofTools = toolLimit(call, cost, made);
  const asked = ofTools === null ? call : withBody(call, call.endpoint.limitTools?.(call.request.body, ofTools));
  return {
    call: made.limited ? limitedCall(asked, made.outputTokens / cost.choices) : asked,
    reservation,
    estimate: made,
  };
}

/** Reserves the full amount, or the amount that the balance and the budgets have left, if that is worth a call. */
async function takeWhatIsThere(
  call: Call,
  asked: { readonly cost: CallCost; readonly promptTokens: number },
  ledger: Ledger,
  values: OptionValues,
): Promise<{ readonly reservation: Reservation; readonly cost: CallCost; readonly wanted: Wanted }> {
  const { promptTokens } = asked;
  let { cost } = asked;
  let wanted = wantedFor(cost, promptTokens);
  for (let attempt = 1, amount = wanted.amount; ; attempt++) {
    try {
      const tokens = call.budgets?.countsTokens ? promptTokens + estimateOf(cost, wanted, amount).outputTokens : 0;
      return { reservation: await take(call, { amount, tokens }, ledger), cost, wanted };
    } catch (error) {
      if (mustBeWhole(call, error)) throw error;
      if (error instanceof BudgetError && error.hold.kind === 'tokens') {
        cost = { ...cost, outputTokens: roomFor(cost, wanted, error) };
        wanted = wantedFor(cost, promptTokens);
        amount = Math.min(amount, wanted.amount);
      } else {
        amount = Math.min(wanted.amount, affordableOf(error, wanted, values));
      }
      if (attempt === maxAttempts) throw wordedQuotaError(error, values, wanted);
    }
  }
}

/**
 * Returns the output tokens, the same whole number for each choice, that a budget of tokens has room for.
 * @throws the given error when that is not worth a call
 */
function roomFor({ choices }: CallCost, { promptTokens, leastOutput }: Wanted, error: BudgetError): number {
  const room = Math.floor((error.available - promptTokens) / choices) * choices;
  if (room < leastOutput) throw error;
  return room;
}

/**
 * Returns the quota that a balance or budget has left.
 * @throws the given error when that is not worth a call, or when it is of another kind
 */
function affordableOf(error: unknown, wanted: Wanted, values: OptionValues): number {
  const isOfBudget = error instanceof BudgetError && error.hold.kind === 'money';
  if (!isOfBudget && !(error instanceof QuotaError)) throw error;
  if (error.available >= wanted.least && error.available > 0) return error.available;
  if (error instanceof BudgetError) throw error;
  throw wordedQuotaError(new QuotaError(error.code, error.available, wanted.least), values, wanted);
}

/** Returns an estimate with less output, because a budget of tokens has room for less. */
const limitedTo = ({ outputTokens, fixedOutput }: CallCost, estimate: Estimate): Estimate =>
  estimate.limited || fixedOutput > 0 || estimate.outputTokens >= outputTokens
    ? estimate
    : { ...estimate, limited: true, stopAt: estimate.outputTokens };

/** Returns the call with a lower output limit, in the client's own dialect. */
function limitedCall(call: Call, outputTokens: number): Call {
  const body = call.endpoint.limitOutput?.(call.request.body, outputTokens);
  if (!body) return call;
  const limited = withBody(call, body);
  return { ...limited, request: { ...limited.request, maxOutput: outputTokens, outputLimit: outputTokens } };
}

function withBody(call: Call, body: Call['request']['body'] | undefined): Call {
  if (!body || body === call.request.body) return call;
  const rawBody = Buffer.from(JSON.stringify(body));
  const { sent } = call.request;
  return { ...call, request: { ...call.request, body, ...(sent ? { sent: { ...sent, rawBody } } : {}) }, rawBody };
}

/**
 * Adds both amounts to a quota error, in the site's currency. An empty balance gets the short text that clients know.
 * Other errors are unchanged.
 */
export function wordedQuotaError(error: unknown, values: OptionValues, wanted?: Wanted): unknown {
  if (!(error instanceof QuotaError)) return error;
  const amount = (quota: number): string => formatQuota(quota, values);
  const ofUser = error.code === 'INSUFFICIENT_QUOTA';
  if (ofUser && error.available <= 0) return new AppError(error.code, 'user quota is not enough', { cause: error });
  const balance = `remaining ${amount(error.available)}, required ${amount(error.needed)}`;
  const purpose = wanted ? ` for ${wanted.promptTokens} prompt and ${wanted.leastOutput} output tokens` : '';
  return new AppError(error.code, `${ofUser ? 'user' : 'token'} quota is not enough, ${balance}${purpose}`, {
    cause: error,
  });
}
