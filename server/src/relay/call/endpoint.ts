import type { OptionValues } from '../../modules/options/option.service.js';
import type { Price } from '../../modules/pricing/price-book.service.js';
import type { Usage } from '../usage.js';
import type { Attempt, AttemptOutcome } from '../attempt/attempt.js';
import type { ClientResponse } from './client-response.js';
import type { CallFailure } from '../errors/failure.js';
import type { OpenedBody, RelayCall } from './relay-call.js';
import type { IncomingCall } from './incoming-call.js';

/** How failures are told to clients of one dialect. */
export interface ErrorDialect {
  /** The body of an answer that is an error. */
  body(failure: CallFailure, requestId: string): string;
  /** What ends a stream that failed after it had begun. */
  events(failure: CallFailure, requestId: string): string;
}

/** What a served call is charged by. */
export interface ChargedCall {
  readonly call: RelayCall;
  readonly price: Price;
  readonly usage: Usage;
  /** As the client named it, without the routing prefix. */
  readonly bareModel: string;
  readonly upstreamModel: string;
}

/** How an endpoint is paid for (docs/reference/relay/billing.md). */
export interface Tariff {
  /** What is held before the call. */
  reserve(price: Price, call: RelayCall, rawBody: Buffer, bareModel: string, values: OptionValues): number;
  /** Usage that no provider has a say in; null where the provider's report counts. */
  fixedUsage?(call: RelayCall): Usage | null;
  /** What of the usage counts; missing: all of it. */
  counted?(usage: Usage): Usage;
  /** Prompt tokens by our own count, for calls whose provider reported none. */
  countPrompt(call: RelayCall, upstreamModel: string): Promise<number>;
  charge(charged: ChargedCall, quotaPerUnit: number): number;
  /** Keys of the log row beside those of every call (docs/reference/relay/usage-log.md#the-other-field). */
  notes?(charged: ChargedCall): Record<string, unknown>;
  /** The row's `content`, when it is not the usual text (docs/reference/relay/usage-log.md#log-text). */
  line?(charged: ChargedCall): string | null;
}

/** One way to call the relay: how bodies are read, who is asked, what it costs and how failures are told. */
export interface Endpoint {
  /** Label of the metrics. */
  readonly route: string;
  readonly tariff: Tariff;
  errors(incoming: IncomingCall): ErrorDialect;
  /** @throws AppError INVALID_INPUT, RelayError invalid_request */
  open(rawBody: Buffer, incoming: IncomingCall): OpenedBody;
  /** Everything that can be wrong with a call before somebody is asked. @throws AppError INVALID_INPUT */
  parse(opened: OpenedBody, incoming: IncomingCall): RelayCall;
  /**
   * Prompt tokens of what is sent, for endpoints that are priced by that and nothing else.
   * @throws AppError INVALID_INPUT when it cannot be told
   */
  measure?(call: RelayCall, bareModel: string): Promise<number>;
  /** What the client wrote, for the list of words nobody may send. */
  texts(body: Readonly<Record<string, unknown>>): string[];
  /** One try at one channel. */
  attempt(attempt: Attempt, client: ClientResponse): Promise<AttemptOutcome>;
}
