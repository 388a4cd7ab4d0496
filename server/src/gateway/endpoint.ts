import type { ChargeCard, Formula, Price } from '../billing/prices/index.js';
import type { Quantity } from '../shared/price-card.js';
import type { PromptTexts } from './reserve/metering/prompt.js';
import type { Usage } from '../shared/usage.js';
import type { Attempt, AttemptOutcome } from './send/attempt.js';
import type { ClientResponse } from './deliver/client-response.js';
import type { CallFailure } from '../dialects/errors/failure.js';
import type { OpenedBody, ParsedRequest, IncomingRequest } from './request.js';
import type { IdDialect } from '../dialects/languages/provider-ids.js';
import type { FormPart } from '../dialects/contract.js';
import type { RateDialect } from './admit/rate-headers.js';

/** How failures are written in one dialect. */
export interface ErrorDialect {
  /** The body of an error response. */
  body(failure: CallFailure, requestId: string): string;
  /** Headers by which clients tell errors apart. Absent: they read the body alone. */
  headers?(status: number): Readonly<Record<string, string>>;
  /** The final events of a stream that failed after it had begun. */
  events(failure: CallFailure, requestId: string): string;
  /** Whether clients of a stream recognize a context overflow only in events, and not by an error status. */
  readonly streamsOverflow?: boolean;
}

/** The values from which a served call is charged. */
export interface ChargeInput {
  readonly request: ParsedRequest;
  readonly price: Price;
  readonly usage: Usage;
  /** The price of drawn images. Absent when the usage has none, or `price` covers them. */
  readonly drawing?: Price | null | undefined;
  /** The price of advice. Absent when the usage has none, or `price` covers it. */
  readonly advice?: Price | null | undefined;
  /** The model as the client named it, without the routing prefix. */
  readonly bareModel: string;
  readonly upstreamModel: string;
}

/** How calls of an endpoint are counted and priced (docs/reference/relay/billing.md). */
export interface Tariff {
  /**
   * The quantities in which calls of the endpoint are counted. A card that prices none of them cannot price the
   * endpoint.
   */
  readonly counts: readonly Quantity[];
  /** The formula by which the old tables charge calls of the endpoint. */
  readonly formula: Formula;
  /** How models are charged whose audio has its own price. Absent where they are charged like all others. */
  readonly ofAudio?: Pick<Tariff, 'formula' | 'notes' | 'line'>;
  /** Returns how many times a price of the whole call is charged. When absent, it is charged once. */
  times?(call: ParsedRequest, upstreamModel: string): number;
  /** Returns the usage that does not depend on the provider. Null when the provider's report counts. */
  fixedUsage?(call: ParsedRequest, card: ChargeCard): Usage | null;
  /** Estimates the output of a call, when the provider reports no usage and the output cannot be counted here. */
  unreportedOutput?(call: ParsedRequest): Partial<Usage>;
  /** Returns the part of the usage that is charged. When absent, all of it is charged. */
  counted?(usage: Usage): Usage;
  /** Returns the texts of the prompt that are counted here, for the reservation and when the provider reports no usage. */
  prompt(call: ParsedRequest, model: string): PromptTexts;
  /**
   * Returns additional keys of a log row without lines (docs/reference/relay/usage-log.md#the-other-field).
   * @param usd the price of the whole call; 0 for a price by tokens
   */
  notes?(charged: ChargeInput, usd: number): Record<string, unknown>;
  /** Returns the `content` of such a row, or null for the usual text (docs/reference/relay/usage-log.md#log-text). */
  line?(charged: ChargeInput, usd: number): string | null;
}

/**
 * One kind of relay call: how bodies are read, how providers are called, how the call is priced and how failures are
 * written.
 */
export interface Endpoint {
  /** Label for metrics. */
  readonly route: string;
  /** `gen_ai.operation.name` of spans: our own name where OpenTelemetry's conventions list none. */
  readonly operation: string;
  readonly tariff: Tariff;
  errors(incoming: IncomingRequest): ErrorDialect;
  /** The dialect of rate limit headers. Absent: OpenAI's names. */
  readonly rateDialect?: RateDialect;
  /** @throws AppError INVALID_INPUT, RelayError invalid_request */
  open(rawBody: Buffer, incoming: IncomingRequest): OpenedBody;
  /**
   * Translates a body of another form that clients send to this endpoint. Not called where bodies are passed on unchanged. Absent: there is
   * one form.
   * @throws AppError INVALID_INPUT, UNSUPPORTED_BY_CHANNEL naming the field
   */
  translate?(opened: OpenedBody): OpenedBody;
  /**
   * Parses a call and validates everything that can be checked before a provider is called.
   * @throws AppError INVALID_INPUT
   */
  parse(opened: OpenedBody, incoming: IncomingRequest): ParsedRequest;
  /**
   * Prompt tokens of the request, for endpoints whose price depends on the request only.
   * @throws AppError INVALID_INPUT when they cannot be determined
   */
  measure?(call: ParsedRequest, bareModel: string): Promise<number>;
  /**
   * Returns the request with an output limit of so many tokens for each choice. Absent when the endpoint has no output
   * to limit.
   */
  limitOutput?(body: Readonly<Record<string, unknown>>, tokens: number): Readonly<Record<string, unknown>>;
  /**
   * Returns the request with at most so many calls of each tool that the provider runs. Absent when the dialect has no
   * such field.
   */
  limitTools?(body: Readonly<Record<string, unknown>>, calls: number): Readonly<Record<string, unknown>>;
  /** The dialect in which the body may name objects that a provider stores. Absent when it cannot name any. */
  readonly names?: IdDialect;
  /** The texts of the client's request, for the list of blocked words. */
  texts(body: Readonly<Record<string, unknown>>, form?: readonly FormPart[]): string[];
  /** Fields with media, or with ids of the protocol, that guardrails do not search. Absent: only the fields that every dialect leaves out. */
  readonly unsearched?: ReadonlySet<string>;
  /** The field with the turns of a conversation, which clients send again with each new turn. Absent: there are none. */
  readonly turns?: 'messages' | 'input' | 'contents';
  /** Makes one attempt at one channel. */
  attempt(attempt: Attempt, client: ClientResponse): Promise<AttemptOutcome>;
}
