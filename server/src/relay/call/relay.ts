import type { OptionValues } from '../../modules/options/option.service.js';
import type { PriceBook } from '../../modules/pricing/price-book.service.js';
import type { Ledger } from '../../modules/quota/ledger.service.js';
import type { Logger } from '../../observability/logger.js';
import type { Metrics } from '../../observability/metrics.js';
import type { Clock } from '../../shared/clock.js';
import { AppError, isAppError } from '../../shared/errors.js';
import { admit, checkAddress, groupOf } from '../access/admission.js';
import { findKey, authenticateKey, type Caller } from '../access/authentication.js';
import type { InFlight, ModelRateLimit } from '../access/limits.js';
import type { KeyDirectory } from '../access/key-directory.js';
import type { SensitiveWords } from '../access/sensitive-words.js';
import { CallFailedError, type Attempts, type Served } from '../attempt/attempts.js';
import type { BalanceWatch } from '../record/balance-watch.js';
import type { ClientResponse } from './client-response.js';
import { ClientGoneError } from './delivery.js';
import type { Endpoint, ErrorDialect } from './endpoint.js';
import type { ErrorLog } from '../record/error-log.js';
import type { IncomingCall } from './incoming-call.js';
import { toOpenAIFailure, type OpenAIFailure } from '../errors/failure.js';
import type { RoutingDirectory } from '../routing/routing-directory.js';
import { reserveFor, settleCall, type Billed, type PricedCall } from '../record/settlement.js';

export interface RelayParts {
  readonly options: { readonly values: OptionValues };
  readonly keys: KeyDirectory;
  readonly rateLimit: ModelRateLimit;
  readonly inFlight: InFlight;
  readonly channels: RoutingDirectory;
  readonly prices: PriceBook;
  readonly ledger: Ledger;
  readonly attempts: Attempts;
  readonly words: SensitiveWords;
  readonly errors: ErrorLog;
  readonly balances: BalanceWatch | null;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The life of one call, from key to log row. */
export class Relay {
  private active = 0;
  private whenIdle: Array<() => void> = [];

  constructor(private readonly parts: RelayParts) {}

  /** One call of any endpoint. Never throws: whatever happens, the client is told. */
  async serve(endpoint: Endpoint, incoming: IncomingCall, client: ClientResponse): Promise<void> {
    this.begin(endpoint);
    const outcome = await this.answer(endpoint, incoming, client).catch((error: unknown) =>
      this.refuse(endpoint, incoming, client, error),
    );
    this.end(endpoint, incoming, outcome);
  }

  /** What a call would count, without asking anybody else. Free. Never throws. */
  async count(
    endpoint: Endpoint,
    incoming: IncomingCall,
    client: ClientResponse,
    show: (tokens: number) => Record<string, unknown>,
  ): Promise<void> {
    try {
      const { rateLimit, channels, options } = this.parts;
      const caller = await this.authenticate(incoming);
      if (rateLimit.concerns(caller)) await rateLimit.enter(caller);
      checkAddress(caller, incoming.address);
      const opened = endpoint.open(await incoming.readBody(), incoming);
      const admission = admit(caller, opened.model, channels.table, options);
      const call = endpoint.parse(opened, incoming);
      const tokens = await endpoint.tariff.countPrompt(call, admission.bareModel);
      client.send(200, { 'content-type': 'application/json' }, JSON.stringify(show(tokens)));
    } catch (error) {
      this.refuse(endpoint, incoming, client, error);
    }
  }

  /** Who calls, for routes that only look something up. @throws AppError */
  async identify(incoming: IncomingCall): Promise<{ caller: Caller; group: string }> {
    const caller = await this.authenticate(incoming);
    checkAddress(caller, incoming.address);
    return { caller, group: groupOf(caller, this.parts.options) };
  }

  /** The key alone. @throws AppError */
  authenticate({ headers, path, query }: IncomingCall): Promise<Caller> {
    return authenticateKey(findKey(headers, path, query), this.parts.keys, this.parts.clock);
  }

  /** Resolves when no call is under way: every charge is durable then. */
  idle(): Promise<void> {
    return this.active === 0 ? Promise.resolve() : new Promise((resolve) => this.whenIdle.push(resolve));
  }

  private async answer(endpoint: Endpoint, incoming: IncomingCall, client: ClientResponse): Promise<CallOutcome> {
    const caller = incoming.caller ?? (await this.authenticate(incoming));
    const leave = this.parts.inFlight.enter(caller);
    if (!leave) return this.answerTo(caller, endpoint, incoming, client);
    try {
      return await this.answerTo(caller, endpoint, incoming, client);
    } finally {
      leave();
    }
  }

  private async answerTo(
    caller: Caller,
    endpoint: Endpoint,
    incoming: IncomingCall,
    client: ClientResponse,
  ): Promise<CallOutcome> {
    const { rateLimit, keys, ledger, attempts, options } = this.parts;

    // admit, choose who may serve
    if (rateLimit.concerns(caller)) await rateLimit.enter(caller);
    checkAddress(caller, incoming.address);
    const priced = this.price(endpoint, incoming, caller, await incoming.readBody());
    const call = endpoint.measure ? await measured(priced) : priced;

    // reserve
    const reservation = await reserveFor(call, ledger, options.values).catch((error: unknown) => {
      if (isAppError(error) && error.code === 'INSUFFICIENT_TOKEN_QUOTA') keys.forget(caller.key);
      throw error;
    });

    // send, stream
    let served: Served;
    try {
      const { sent } = call.call;
      const path = sent?.path ?? incoming.path + search(incoming.query);
      const rawBody = sent?.rawBody ?? call.rawBody;
      served = await attempts.serve({ ...call, path, rawBody }, call.admission, client);
    } catch (error) {
      await ledger.release(reservation);
      this.noteFailure(call, error);
      throw error;
    }

    // settle and record, then let the client have the end of its answer
    const billed = await settleCall(call, served, client.gone, reservation, ledger, options.values);
    keys.spent(caller.token, billed.quota);
    const { quota, userQuota } = billed;
    if (quota > 0 && userQuota !== null) this.parts.balances?.charged(caller.user.id, quota, userQuota);
    return this.finish(call, served, billed, client, endpoint.errors(incoming));
  }

  /** Rows 13 to 19 of docs/reference/relay/access.md#order-of-checks, then the price. */
  private price(endpoint: Endpoint, incoming: IncomingCall, caller: Caller, rawBody: Buffer): PricedCall {
    const { options, channels, prices, words } = this.parts;
    const opened = endpoint.open(rawBody, incoming);
    if (options.values['global.block_browser_extension_enabled']) refuseExtensions(incoming.headers.origin);
    const admission = admit(caller, opened.model, channels.table, options);
    const call = endpoint.parse(opened, incoming);
    if (words.enabled) words.check(endpoint.texts(call.body), incoming.requestId);
    const terms = { group: admission.group, acceptsUnpriced: caller.user.acceptsUnpriced };
    const price = prices.price(admission.bareModel, terms);
    const { requestId, path, startedAt } = incoming;
    return { requestId, path, endpoint, caller, admission, call, rawBody, price, startedAt };
  }

  private async finish(
    call: PricedCall,
    served: Served,
    billed: Billed,
    client: ClientResponse,
    errors: ErrorDialect,
  ): Promise<CallOutcome> {
    const { end } = served.delivery;
    if (end.kind !== 'broken') served.delivery.finish(billed.usage);
    else if (served.delivery.breakOff) served.delivery.breakOff();
    else client.end(errors.events(toOpenAIFailure(end.error), call.requestId));
    const { rateLimit } = this.parts;
    if (end.kind === 'complete' && rateLimit.concerns(call.caller)) await rateLimit.succeeded(call.caller);
    this.measure(call, served, billed);
    this.warnOfStrangeUsage(call, billed);
    if (end.kind === 'client_gone') return { outcome: 'client_gone', stream: served.isStream };
    return {
      outcome: end.kind === 'broken' ? 'upstream_error' : 'ok',
      stream: served.isStream,
      model: call.admission.model,
    };
  }

  /** A call that was taken and could not be served; what the client himself got wrong is not noted. */
  private noteFailure(call: PricedCall, error: unknown): void {
    if (!(error instanceof CallFailedError) || error.cause instanceof ClientGoneError) return;
    const failure = toOpenAIFailure(error.cause, error.view);
    this.parts.errors.note({ call, failure, usedChannels: error.usedChannels });
  }

  /** Says no, in the client's dialect, wherever the answer stands. */
  private refuse(endpoint: Endpoint, incoming: IncomingCall, client: ClientResponse, error: unknown): CallOutcome {
    const failed = error instanceof CallFailedError ? error : null;
    const cause = failed ? failed.cause : error;
    if (cause instanceof ClientGoneError || client.gone) return { outcome: 'client_gone', stream: false };
    const failure = toOpenAIFailure(cause, failed?.view);
    if (!failed && isOurFault(cause)) {
      this.parts.logger.error({ err: cause, requestId: incoming.requestId }, 'relay call failed');
    }
    sendFailure(client, failure, incoming.requestId, endpoint.errors(incoming));
    return { outcome: failed ? 'upstream_error' : failure.status < 500 ? 'client_error' : 'error', stream: false };
  }

  private measure(call: PricedCall, served: Served, { usage, quota }: Billed): void {
    const { metrics } = this.parts;
    const tally = metrics.relay.of(metrics.knownLabel('model', call.admission.model));
    tally.promptTokens += usage.promptTokens;
    tally.completionTokens += usage.completionTokens;
    tally.cachedTokens += usage.cachedTokens;
    tally.quota += quota;
    if (served.firstByteAt !== null) {
      metrics.relayFirstByte.observe(
        { route: call.endpoint.route, stream: 'true' },
        (served.firstByteAt - call.startedAt) / 1000,
      );
    }
  }

  /** A provider that reports ten times what the call can hold is broken or hostile; an admin should look. */
  private warnOfStrangeUsage(call: PricedCall, { usage }: Billed): void {
    const plausible = Math.max(1000, call.rawBody.length);
    if (usage.promptTokens <= 10 * plausible) return;
    const { promptTokens, completionTokens } = usage;
    this.parts.logger.warn(
      { requestId: call.requestId, promptTokens, completionTokens },
      'reported usage is implausible',
    );
  }

  private begin({ route }: Endpoint): void {
    this.active++;
    this.parts.metrics.relay.underWay(route, 1);
  }

  private end({ route }: Endpoint, incoming: IncomingCall, { outcome, stream, model }: CallOutcome): void {
    const { metrics } = this.parts;
    this.active--;
    metrics.relay.underWay(route, -1);
    metrics.relay.of(model ? metrics.knownLabel('model', model) : 'none').finished(route, outcome);
    metrics.relayDuration.observe(
      { route, stream: stream ? 'true' : 'false' },
      (performance.now() - incoming.startedAt) / 1000,
    );
    if (this.active > 0) return;
    const waiting = this.whenIdle;
    this.whenIdle = [];
    for (const resolve of waiting) resolve();
  }
}

async function measured(call: PricedCall): Promise<PricedCall> {
  const measuredTokens = await call.endpoint.measure?.(call.call, call.admission.bareModel);
  return { ...call, call: { ...call.call, measuredTokens } };
}

interface CallOutcome {
  readonly outcome: 'ok' | 'client_error' | 'upstream_error' | 'client_gone' | 'error';
  readonly stream: boolean;
  readonly model?: string;
}

export function sendFailure(
  client: ClientResponse,
  failure: OpenAIFailure,
  requestId: string,
  errors: ErrorDialect,
): void {
  if (client.started) {
    client.end(errors.events(failure, requestId));
    return;
  }
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    ...(failure.retryAfter === undefined ? {} : { 'retry-after': failure.retryAfter }),
  };
  client.send(failure.status, headers, errors.body(failure, requestId));
}

/** Failures that an operator should read about, beside those the ledger and the database tell themselves. */
const isOurFault = (error: unknown): boolean => !isAppError(error) || error.code === 'INTERNAL_ERROR';

const search = (query: string): string => (query === '' ? '' : `?${query}`);

/** Option `global.block_browser_extension_enabled`. */
function refuseExtensions(origin: string | undefined): void {
  if (origin?.includes('extension') && origin.includes('://')) {
    throw new AppError('BROWSER_EXTENSION_BLOCKED', 'browser extension blocked');
  }
}
