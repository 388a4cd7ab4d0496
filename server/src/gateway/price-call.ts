import type { OptionValues } from '../options/option.service.js';
import type { Price } from '../billing/prices/index.js';
import type { Caller } from './admit/authentication.js';
import type { Call, OpenedRequest } from './call.js';
import type { ParsedRequest } from './request.js';
import type { RelayDeps } from './deps.js';
import { overriddenCalls } from './reserve/metering/overridden-call.js';
import { unpricedTools } from './reserve/metering/server-tools.js';
import type { Admission } from './route/admission.js';

/** Parses a request for the model that serves it, and finds its prices. */
export class CallPricing {
  constructor(
    private readonly deps: Pick<
      RelayDeps,
      'prices' | 'budgets' | 'sharedBudgets' | 'captures' | 'channels' | 'options'
    >,
  ) {}

  /** @throws AppError INVALID_INPUT, MODEL_NOT_PRICED */
  price(asked: OpenedRequest, admission: Admission): Call {
    const { endpoint, incoming, caller, rawBody } = asked;
    const { prices, budgets, captures, options } = this.deps;
    const { values } = options;
    const parsed = parse(asked, admission.model);
    const terms = { group: admission.group, acceptsUnpriced: caller.user.acceptsUnpriced };
    const price = prices.price(admission.bareModel, terms, endpoint.tariff.counts);
    const request = endpoint.limitOutput ? withUnpriced(parsed, price, values) : parsed;
    const { drawing, advisor } = request;
    const isOverridden = this.overridesPrice && (request.images ?? endpoint.limitOutput) !== undefined;
    const isCaptured = values['content_capture.rules'].length > 0;
    return {
      requestId: incoming.requestId,
      path: incoming.path,
      query: incoming.query,
      headers: incoming.headers,
      startedAt: incoming.startedAt,
      trace: incoming.trace,
      endpoint,
      caller,
      admission,
      request,
      overridden: isOverridden ? overriddenCalls(request, admission.candidates, admission.model) : undefined,
      rawBody,
      price,
      drawing: drawing ? prices.ofDrawing(price, drawing.model, admission.group) : undefined,
      advice: advisor ? prices.ofAdvice(price, advisor.model, admission.group) : undefined,
      prices,
      budgets: this.isBudgeted(caller) ? budgets.of(caller, admission.group, admission.bareModel) : null,
      guard: asked.guard,
      capture: isCaptured ? captures.of(caller, admission.group) : undefined,
    };
  }

  /** Whether some budget or limit per minute may count calls of this caller. */
  isBudgeted({ user, token }: Caller): boolean {
    return (
      !this.deps.sharedBudgets.isEmpty ||
      token.budgets.length + user.budgets.length + token.rates.length + user.rates.length > 0
    );
  }

  private get overridesPrice(): boolean {
    const { channels, options } = this.deps;
    return channels.table.overridesPrice && !options.values['global.pass_through_request_enabled'];
  }
}

function parse({ endpoint, incoming, opened, named }: OpenedRequest, model: string): ParsedRequest {
  const parsed = endpoint.parse(model === opened.model ? opened : { ...opened, model }, incoming);
  const known = named ? { ...parsed, continued: named } : parsed;
  return opened.dropped ? { ...known, dropped: [...opened.dropped, ...(known.dropped ?? [])] } : known;
}

/**
 * Returns the request with the tools whose price is not known, or the same request when there are none. A price per
 * call covers all tools.
 */
function withUnpriced(request: ParsedRequest, price: Price, { UnpricedTools }: OptionValues): ParsedRequest {
  if (price.coversWork) return request;
  const names = unpricedTools(request.body, price.card.prices);
  return names.length === 0 ? request : { ...request, unpriced: { names, areRefused: UnpricedTools === 'refuse' } };
}

/**
 * Measures the prompt tokens of a call before it is reserved, if its endpoint does so. Otherwise returns the same call.
 */
export async function measured(call: Call): Promise<Call> {
  const { endpoint, request, admission } = call;
  if (!endpoint.measure) return call;
  const measuredTokens = await endpoint.measure(request, admission.bareModel);
  return { ...call, request: { ...request, measuredTokens } };
}
