import type { OptionValues } from '../options/option.service.js';
import type { Price } from '../billing/prices/index.js';
import type { KnownBudget } from '../shared/budget.js';
import { AppError, isAppError } from '../shared/errors.js';
import { jsonInTurns } from '../shared/json-in-turns.js';
import { mayCostMore } from '../dialects/priced-fields.js';
import { toCallFailure } from '../dialects/errors/failure.js';
import { SearchTime } from '../platform/matching/search.js';
import type { CheckedPart, SensitiveWords } from './admit/sensitive-words.js';
import type { Caller } from './admit/authentication.js';
import { RateError, type RateLease, type RateStates } from './admit/call-rates.js';
import type { CallGuard } from './admit/guardrails/call-guard.js';
import { guardedInput } from './admit/guardrails/guarded-input.js';
import { rateHeaders } from './admit/rate-headers.js';
import type { Call, OpenedRequest } from './call.js';
import type { RelayDeps } from './deps.js';
import type { RunningCalls } from './observe/running-calls.js';
import type { ParsedRequest } from './request.js';
import { withMappedFacts } from './reserve/metering/mapped-price.js';
import { overriddenCalls } from './reserve/metering/overridden-call.js';
import { estimatePrompt } from './reserve/metering/prompt-tokens.js';
import { unpricedSelectors, unpricedTools } from './reserve/metering/unpriced-tools.js';
import { reserveByPlan } from './reserve/plan-payment.js';
import { reserveFor, type Reserved } from './reserve/reserve.js';
import type { CallRoute } from './route/call-route.js';
import type { CallUse } from './route/limits/limit-board.js';

/** Texts that are checked for blocked words, and the parts of the conversation that they are from. */
interface Said {
  readonly texts: readonly string[];
  readonly parts: readonly CheckedPart[];
}

const nothingSaid: Said = { texts: [], parts: [] };

/** Returns the texts of a request, besides those of turns that were checked with an earlier call. */
function saidIn({ endpoint, request: { body, form } }: Call, words: SensitiveWords): Said {
  const turns = endpoint.turns && body[endpoint.turns];
  if (!Array.isArray(turns)) return { texts: endpoint.texts(body, form), parts: [] };
  const parts = words.unchecked(turns);
  const unchecked = parts.flatMap(({ from, until }): unknown[] => turns.slice(from, until));
  return { texts: endpoint.texts({ ...body, [String(endpoint.turns)]: unchecked }, form), parts };
}

/** Prepares a call that has a route: prices it, checks its texts, and reserves what it may cost. */
export class CallPreparation {
  constructor(
    private readonly deps: RelayDeps,
    private readonly running: RunningCalls,
  ) {}

  /**
   * Parses a request for the model that serves it, and finds its prices.
   * @throws AppError INVALID_INPUT, MODEL_NOT_PRICED
   */
  price(asked: OpenedRequest, route: CallRoute): Call {
    const { endpoint, incoming, caller, rawBody, grant } = asked;
    const { prices, budgets, captures, options } = this.deps;
    const { values } = options;
    const parsed = parse(asked, route.model);
    const terms = { group: route.group, acceptsUnpriced: caller.user.acceptsUnpriced };
    const found = prices.price(route.bareModel, terms, endpoint.tariff.counts);
    const { mapsToUnasked } = this.deps.channels.table;
    const price = mapsToUnasked ? withMappedFacts(found, route.candidates, route.model) : found;
    const costsMore = mayCostMore(parsed.body);
    const request = endpoint.limitOutput && costsMore ? withUnpriced(parsed, price, values) : parsed;
    const { drawing, advisor } = request;
    const isOverridden = this.overridesPrice && (request.images ?? endpoint.limitOutput) !== undefined;
    const overridden = isOverridden ? overriddenCalls(request, route.candidates, route.model) : undefined;
    const ofCaller = this.isBudgeted(caller) ? budgets.of(caller, route.group, route.bareModel) : null;
    const hasPlan = caller.user.plans.length > 0 && !price.isFree;
    const isCaptured = values['content_capture.rules'].length > 0;
    return {
      requestId: incoming.requestId,
      path: incoming.path,
      query: incoming.query,
      headers: incoming.headers,
      address: incoming.address,
      startedAt: incoming.startedAt,
      trace: incoming.trace,
      endpoint,
      caller,
      route,
      request,
      overridden,
      rawBody,
      grant,
      // An override keeps the turns in a body of its own.
      freesTurns: grant?.isCounted === true && !overridden,
      price,
      mayCostMore: costsMore || [...(overridden?.values() ?? [])].some(({ body }) => mayCostMore(body)),
      // Families have no routing prefix.
      loggedModel: route.model === route.bareModel ? price.model : route.model,
      drawing: drawing ? prices.ofDrawing(price, drawing.model, route.group) : undefined,
      advice: advisor ? prices.ofAdvice(price, advisor.model, route.group) : undefined,
      prices,
      budgets: ofCaller,
      plans: hasPlan ? budgets.plansFor(caller, route.group, route.bareModel, ofCaller) : null,
      guard: asked.guard,
      capture: isCaptured ? captures.of(caller, route.group) : undefined,
    };
  }

  /** Whether some budget or limit per minute may count calls of this caller. */
  private isBudgeted({ user, token }: Caller): boolean {
    return (
      !this.deps.sharedBudgets.isEmpty ||
      token.budgets.length + user.budgets.length + token.rates.length + user.rates.length > 0
    );
  }

  private get overridesPrice(): boolean {
    const { channels, options } = this.deps;
    return channels.table.overridesPrice && !options.values['global.pass_through_request_enabled'];
  }

  /**
   * Checks the texts of a request against the blocked words and the guardrails. Where it was checked for another group,
   * the rules that are new for this one remain.
   * @returns the call after all guardrails for input, unchanged or with a masked body
   * @throws AppError SENSITIVE_WORDS, GUARDRAIL_BLOCKED
   */
  check(asked: OpenedRequest, call: Call): Call | Promise<Call> {
    const { words } = this.deps.guardrails;
    const said = words.enabled && !asked.searchTime ? saidIn(call, words) : nothingSaid;
    const mayBlock = words.enabled && words.mayBlock(said.texts, said.parts);
    if (!mayBlock && this.deps.options.values['guardrails.rules'].length === 0) return call;
    return this.checkTexts(asked, call, mayBlock ? said : nothingSaid);
  }

  /** @param said the texts that may have blocked words */
  private async checkTexts(asked: OpenedRequest, call: Call, { texts, parts }: Said): Promise<Call> {
    const { guardrails, options } = this.deps;
    const { requestId, caller, route } = call;
    const time = (asked.searchTime ??= new SearchTime());
    if (texts.length > 0) await guardrails.words.check(texts, { userId: caller.user.id, requestId, time, parts });
    if (options.values['guardrails.rules'].length === 0) return call;
    const guard = guardrails.of(caller, route.group, route.model, requestId, time, asked.guard);
    return guard && guard !== asked.guard ? this.guarded(asked, { ...call, guard }, guard) : call;
  }

  private async guarded(asked: OpenedRequest, call: Call, guard: CallGuard): Promise<Call> {
    asked.guard = guard;
    if (!guard.checksInput) return call;
    const { opened } = asked;
    try {
      const passed = await guardedInput(guard, opened, call.endpoint.unsearched);
      if (passed === opened) return call;
      asked.opened = passed;
      if (!passed.form) asked.rawBody = await jsonInTurns(passed.body);
      return this.price(asked, call.route);
    } catch (error) {
      this.deps.errors.guarded({ call, error, failure: toCallFailure(error), usedChannels: [] });
      throw error;
    }
  }

  /**
   * Counts a call under limits per minute, and reserves what it may cost.
   * @throws RateError, AppError like `reserveFor`; nothing is reserved then
   */
  reserve(asked: OpenedRequest, call: Call): Promise<Reserved> {
    if (!call.endpoint.measure) return this.reserveMeasured(asked, call);
    return measured(call).then((known) => this.reserveMeasured(asked, known));
  }

  private reserveMeasured(asked: OpenedRequest, call: Call): Promise<Reserved> {
    const { caller, route } = call;
    if (!this.isBudgeted(caller)) return this.reserveOnly(call);
    const limits = this.deps.budgets.rates(caller, route.group, route.bareModel);
    return limits ? this.countAndReserve(asked, call, limits) : this.reserveOnly(call);
  }

  private reserveOnly(call: Call): Promise<Reserved> {
    const { keys, ledger, options, budgets } = this.deps;
    const reserving = call.plans
      ? reserveByPlan(call, call.plans, ledger, options.values)
      : reserveFor(call, ledger, options.values);
    this.running.waits(call.requestId);
    // Callbacks are used because every call comes here: an async function costs five times as much memory.
    return reserving.then(
      (reserved) => {
        this.running.goesOn(call.requestId);
        return reserved;
      },
      (error: unknown) => {
        this.running.goesOn(call.requestId);
        budgets.refused(error);
        if (isAppError(error) && error.code === 'INSUFFICIENT_TOKEN_QUOTA') keys.forget(call.caller.key);
        throw error;
      },
    );
  }

  /**
   * Counts the call and sets the rate limit headers of its response. A call that is reserved again for a fallback is
   * counted once.
   */
  private async countAndReserve(asked: OpenedRequest, call: Call, limits: readonly KnownBudget[]): Promise<Reserved> {
    const { rates, clock } = this.deps;
    const show = (states: RateStates): void =>
      asked.client.setRateHeaders(rateHeaders(states, call.endpoint.rateDialect ?? 'openai', clock.now()));
    asked.counted ??= new Set();
    let lease: RateLease;
    try {
      lease = await rates.enter(limits, reservedUse(call, 0).tokens, asked.counted);
    } catch (error) {
      if (error instanceof RateError) show(error.states);
      throw error;
    }
    show(lease.states);
    try {
      return { ...(await this.reserveOnly(call)), rates: lease };
    } catch (error) {
      lease.correct(0);
      throw error;
    }
  }
}

function parse({ endpoint, incoming, opened, named }: OpenedRequest, model: string): ParsedRequest {
  const parsed = endpoint.parse(model === opened.model ? opened : { ...opened, model }, incoming);
  const known = named ? { ...parsed, continued: named } : parsed;
  return opened.dropped ? { ...known, dropped: [...opened.dropped, ...(known.dropped ?? [])] } : known;
}

/**
 * Returns the request with the tools and fields whose price is not known, or the same request when there are none. A
 * price per call covers all of them.
 */
function withUnpriced(request: ParsedRequest, price: Price, { UnpricedTools }: OptionValues): ParsedRequest {
  if (price.coversWork) return request;
  const { body } = request;
  const names = [
    ...unpricedTools(body, price.card.prices, request.toolsOfGoogle),
    ...unpricedSelectors(body, price.card),
  ];
  return names.length === 0 ? request : { ...request, unpriced: { names, areRefused: UnpricedTools === 'refuse' } };
}

/** Refuses requests of browser extensions (option `global.block_browser_extension_enabled`). */
export function refuseExtensions(origin: string | undefined): void {
  if (origin?.includes('extension') && origin.includes('://')) {
    throw new AppError('BROWSER_EXTENSION_BLOCKED', 'browser extension blocked');
  }
}

/** Measures the prompt tokens of a call if its endpoint does so. Otherwise returns the same call. */
async function measured(call: Call): Promise<Call> {
  const { endpoint, request, route } = call;
  if (!endpoint.measure) return call;
  const measuredTokens = await endpoint.measure(request, route.bareModel);
  return { ...call, request: { ...request, measuredTokens } };
}

/**
 * Returns the use that limits of channels count before a call: its estimated prompt and the output limit of its client.
 * @param quota the reserved quota
 */
export const reservedUse = ({ rawBody, request, route }: Call, quota: number): CallUse => ({
  tokens: estimatePrompt(rawBody, request.body, route.bareModel) + request.maxOutput,
  quota,
});
