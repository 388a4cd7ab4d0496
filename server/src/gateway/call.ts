import type { Price, PriceBook } from '../billing/prices/price-book.service.js';
import type { CaptureRule } from '../shared/capture-rule.js';
import type { Caller } from './admit/authentication.js';
import type { CountingBudgets } from './admit/call-budgets.js';
import type { CallGuard } from './admit/guardrails/call-guard.js';
import type { ClientResponse } from './deliver/client-response.js';
import type { Endpoint } from './endpoint.js';
import type { Continuation, IncomingRequest, OpenedBody, ParsedRequest } from './request.js';
import type { Admission } from './route/admission.js';

// The stages of one call, in order: received (request.ts), read, opened, routed and priced. `Reserved` (reserve/reserve.ts)
// and `Served` (send/attempts.ts) follow.

/** A request whose body was read. */
export interface ReadRequest {
  readonly endpoint: Endpoint;
  readonly incoming: IncomingRequest;
  readonly caller: Caller;
  readonly rawBody: Buffer;
  readonly client: ClientResponse;
}

/** A request whose body was opened, before it is known who serves it. Guardrails may change its body. */
export interface OpenedRequest extends ReadRequest {
  rawBody: Buffer;
  opened: OpenedBody;
  guard: CallGuard | undefined;
  /** The account that keeps what the body names; null: it names nothing. */
  readonly named: Continuation | null;
  /** Limits of a minute that have counted the request; null: none yet. */
  counted: Set<number> | null;
}

/** A call that is known to be served by some group under some model. A count of tokens comes no further. */
export interface RoutedCall extends Pick<
  IncomingRequest,
  'requestId' | 'path' | 'query' | 'headers' | 'startedAt' | 'trace'
> {
  readonly endpoint: Endpoint;
  readonly caller: Caller;
  /** Which channels may serve it, under which model name. */
  readonly admission: Admission;
  readonly request: ParsedRequest;
  readonly rawBody: Buffer;
  /** Absent where no guardrail concerns the caller. */
  readonly guard?: CallGuard | undefined;
  /** The content is captured; absent: it is not. */
  readonly capture?: CaptureRule | undefined;
  /** Absent for counts of tokens, which are not charged. */
  readonly price?: Price;
}

/** Everything about a call that its charge and its log row need. */
export interface Call extends RoutedCall {
  /** `request` as channels send it whose override prices it otherwise, by their ids. Absent: there is none. */
  readonly overridden?: ReadonlyMap<number, ParsedRequest> | undefined;
  readonly price: Price;
  /** The price of images that a tool of the call draws; null where `price` covers them. Absent: the request names no such tool. */
  readonly drawing?: Price | null | undefined;
  /** The price of the model that the call's tool asks for advice; null where `price` covers it. Absent: no such tool. */
  readonly advice?: Price | null | undefined;
  /** For work of other models that the request does not name. */
  readonly prices: Pick<PriceBook, 'ofDrawing' | 'ofAdvice'>;
  /** The group and model that could not serve the call, where others are called in their place. */
  readonly asked?: { readonly group: string; readonly model: string } | undefined;
  /** Null for calls without a budget. */
  readonly budgets: CountingBudgets | null;
}

/** Whether the provider only counts the tokens of the call. */
export const isCount = ({ price }: Pick<RoutedCall, 'price'>): boolean => price === undefined;
