import { type Price, type PriceBook } from '../billing/prices/index.js';
import type { CaptureRule } from '../shared/capture-rule.js';
import type { SearchTime } from '../platform/matching/search.js';
import type { Caller } from './admit/authentication.js';
import type { BodyGrant } from './admit/body-budget.js';
import type { CallPlan, CountingBudgets } from './admit/call-budgets.js';
import type { CallGuard } from './admit/guardrails/call-guard.js';
import type { ClientResponse } from './deliver/client-response.js';
import type { Endpoint } from './endpoint.js';
import type { Continuation, IncomingRequest, OpenedBody, ParsedRequest } from './request.js';
import type { CallRoute } from './route/call-route.js';

// The stages of one call, in order: received (request.ts), read, opened, routed and priced. `Reserved` (reserve/reserve.ts)
// and `Served` (send/attempts.ts) follow.

/** A request whose body was read. */
export interface ReadRequest {
  readonly endpoint: Endpoint;
  readonly incoming: IncomingRequest;
  readonly caller: Caller;
  readonly rawBody: Buffer;
  /** Counts the bytes of the body. Absent for lines of a batch. */
  readonly grant?: BodyGrant;
  readonly client: ClientResponse;
}

/** A request whose body was opened, before its channel is known. Guardrails may change its body. */
export interface OpenedRequest extends ReadRequest {
  rawBody: Buffer;
  opened: OpenedBody;
  guard: CallGuard | undefined;
  /** The time for patterns that is left to the call. Null before its texts are checked the first time. */
  searchTime: SearchTime | null;
  /** The account that stores the object named in the body. Null when the body names none. */
  readonly named: Continuation | null;
  /** Ids of the limits per minute that have counted the request. Null when none has yet. */
  counted: Set<number> | null;
}

/** A call whose group and model are known. A count of tokens has no later stage. */
export interface RoutedCall extends Pick<
  IncomingRequest,
  'requestId' | 'path' | 'query' | 'headers' | 'address' | 'startedAt' | 'trace'
> {
  readonly endpoint: Endpoint;
  readonly caller: Caller;
  /** The channels that may serve the call, and the model name they serve. */
  readonly route: CallRoute;
  readonly request: ParsedRequest;
  readonly rawBody: Buffer;
  /** Holds the body. Absent for lines of a batch. */
  readonly grant?: BodyGrant | undefined;
  /** Whether the turns are freed while the response arrives, because the bytes of the body count. */
  readonly freesTurns?: boolean;
  /** Absent when no guardrail concerns the caller. */
  readonly guard?: CallGuard | undefined;
  /** The rule by which the content is captured. Absent when it is not captured. */
  readonly capture?: CaptureRule | undefined;
  /** Absent for counts of tokens, which are free. */
  readonly price?: Price;
}

/** How a plan concerns the payment of a call. */
export interface PlanPayment {
  readonly plan: CallPlan;
  /** False when the plan had no room and the balance pays. */
  readonly isPaidByPlan: boolean;
  /** Whether the call may get less output, so that it fits into the plan. */
  readonly mayBeLimited: boolean;
}

/** Everything about a call that its charge and its log row need. */
export interface Call extends RoutedCall {
  /**
   * `request` as changed by a channel's override, by channel id, for channels whose override changes the price. Absent
   * when there are none.
   */
  readonly overridden?: ReadonlyMap<number, ParsedRequest> | undefined;
  readonly price: Price;
  /** Whether `request`, or a request in `overridden`, may cost more than its tokens at the standard price. */
  readonly mayCostMore: boolean;
  /** The name of the model in the log. */
  readonly loggedModel: string;
  /**
   * The price of images that a tool of the call draws. Null when `price` covers them. Absent when the request names no
   * such tool.
   */
  readonly drawing?: Price | null | undefined;
  /**
   * The price of the model that a tool of the call asks for advice. Null when `price` covers it. Absent when the
   * request names no such tool.
   */
  readonly advice?: Price | null | undefined;
  /** Finds prices for the work of models that the request does not name. */
  readonly prices: Pick<PriceBook, 'ofDrawing' | 'ofAdvice' | 'withToolsOf'>;
  /** The requested group and model, when the call is served by a fallback. */
  readonly asked?: { readonly group: string; readonly model: string } | undefined;
  /** Null for calls without a budget. */
  readonly budgets: CountingBudgets | null;
  /** The plans that may pay for the call, in order. Null for calls without one. */
  readonly plans: readonly CallPlan[] | null;
  /** How a plan concerns the payment. Absent for calls without a plan. */
  readonly payment?: PlanPayment | undefined;
}
