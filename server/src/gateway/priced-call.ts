import type { CaptureRule } from '../shared/capture-rule.js';
import type { CardPrice, Price, PriceBook } from '../billing/prices/price-book.service.js';
import type { Admission } from './route/admission.js';
import type { CountingBudgets } from './admit/call-budgets.js';
import type { Caller } from './admit/authentication.js';
import type { Endpoint } from './endpoint.js';
import type { CallGuard } from './admit/guardrails/call-guard.js';
import type { ParsedRequest } from './call.js';

/** Everything about a call that its price and its log row need. */
export interface Call {
  readonly requestId: string;
  readonly path: string;
  readonly caller: Caller;
  readonly admission: Admission;
  readonly endpoint: Endpoint;
  readonly request: ParsedRequest;
  /** `call` as channels send it whose override prices it otherwise, by their ids. Absent: there is none. */
  readonly overridden?: ReadonlyMap<number, ParsedRequest> | undefined;
  readonly rawBody: Buffer;
  readonly price: Price;
  /** The price of images that a tool of the call draws; null where `price` covers them. Absent: the request names no such tool. */
  readonly drawing?: CardPrice | null | undefined;
  /** The price of the model that the call's tool asks for advice; null where `price` covers it. Absent: no such tool. */
  readonly advice?: CardPrice | null | undefined;
  /** For work of other models that the request does not name. */
  readonly prices: Pick<PriceBook, 'ofDrawing' | 'ofAdvice'>;
  /** The group and model that could not serve the call, where others are called in their place. */
  readonly asked?: { readonly group: string; readonly model: string } | undefined;
  /** Absent where no guardrail concerns the caller. */
  readonly guard: CallGuard | undefined;
  /** The content is captured; absent: it is not. */
  readonly capture: CaptureRule | undefined;
  /** Null for calls without a budget. */
  readonly budgets: CountingBudgets | null;
  /** By `performance.now()`. */
  readonly startedAt: number;
}
