import { isAppError } from '../shared/errors.js';
import { namedOrigin } from './route/affinity/named-origin.js';
import { checkAddress, findRoute, groupOf, isRateLimited, otherGroups } from './route/call-route.js';
import { findKey, authenticateKey, type Caller } from './admit/authentication.js';
import { isLow } from './admit/key-directory.js';
import type { BodyGrant } from './admit/body-budget.js';
import { Conversations } from './admit/conversations.js';
import { CallFailedError, type Served } from './send/attempts.js';
import type { ClientResponse } from './deliver/client-response.js';
import { ClientGoneError } from './deliver/delivery.js';
import { countNatively, type CountedDialect } from './native-count.js';
import { checkTarget, unpaidBodyBytes } from './incoming-request.js';
import type { Endpoint, ErrorDialect } from './endpoint.js';
import { RunningCalls, type CallOutcome } from './observe/running-calls.js';
import { toCallFailure } from '../dialects/errors/failure.js';
import { namedIds } from '../dialects/languages/provider-ids.js';
import type { RelayDeps } from './deps.js';
import { sendFailure } from './deliver/send-failure.js';
import { CallServer, openBody, writtenBody } from './serve-call.js';
import { countPrompt, estimatePrompt } from './reserve/metering/prompt-tokens.js';
import { toolsSent } from './reserve/metering/unpriced-tools.js';
import type { Call, RoutedCall } from './call.js';
import type { IncomingRequest } from './request.js';
import type { Reserved } from './reserve/reserve.js';
import { settleCall, type Billed } from './settle/settlement.js';
import { whenKnown } from '../platform/cache/loader.js';
import { secondsIn } from '../shared/clock.js';

/** Bytes. Larger bodies are estimated, because exact counting costs up to 1.5 ms of CPU per kilobyte. */
const exactCountBytes = 64 * 1024;

/** The lifecycle of one call, from the API key to the log row. */
export class Relay {
  private readonly running: RunningCalls;
  private readonly callServer: CallServer;
  private readonly conversations = new Conversations();

  constructor(private readonly deps: RelayDeps) {
    this.running = new RunningCalls(deps.metrics);
    this.callServer = new CallServer(deps, this.running);
  }

  /** Serves one call of any endpoint. Never throws: every failure is sent to the client. */
  serve(endpoint: Endpoint, call: IncomingRequest, client: ClientResponse): Promise<void> {
    const { tracing } = this.deps;
    const incoming = tracing ? { ...call, trace: tracing.begin(endpoint, call) } : call;
    const running = this.running.begin(endpoint, incoming);
    client.watchGone(() => running.leave());
    const end = (outcome: CallOutcome): void => {
      running.end(outcome);
      incoming.trace?.end(outcome);
    };
    return this.answer(endpoint, incoming, client).then(end, (error: unknown) =>
      end(this.refuse(endpoint, incoming, client, error)),
    );
  }

  /**
   * Counts the prompt tokens of a call: by a provider that counts in the client's dialect, or else here. Costs no
   * quota, but occupies one of the caller's concurrency slots and counts against `countsPerMinute`. Bodies above
   * `exactCountBytes` are estimated. Never throws.
   * @param dialect absent when the tokens are counted here
   */
  async count(
    endpoint: Endpoint,
    incoming: IncomingRequest,
    client: ClientResponse,
    show: (tokens: number) => Record<string, unknown>,
    dialect?: CountedDialect,
  ): Promise<void> {
    try {
      const caller = await this.authenticate(incoming);
      const leave = await this.deps.inFlight.enter(caller);
      client.watchGone(leave);
      const grant = this.deps.bodies.open(caller.user.id);
      try {
        await this.deps.rateLimit.count(caller);
        const call = await this.toCount(caller, endpoint, incoming, grant);
        const native = dialect ? await countNatively(this.deps.attempts, call, dialect, client) : null;
        client.send(200, { 'content-type': 'application/json' }, native ?? JSON.stringify(show(await countHere(call))));
      } finally {
        grant.release();
        leave();
      }
    } catch (error) {
      this.refuse(endpoint, incoming, client, error);
    }
  }

  private async toCount(
    caller: Caller,
    endpoint: Endpoint,
    incoming: IncomingRequest,
    grant: BodyGrant,
  ): Promise<RoutedCall> {
    const { channels, options } = this.deps;
    const rawBody = await this.receive(incoming, caller, grant, endpoint.turns !== undefined);
    const opened = openBody(options, endpoint, rawBody, incoming);
    const route = findRoute(caller, opened.model, channels.table, options);
    const { requestId, path, query, headers, address, startedAt, trace } = incoming;
    const parsed = { ...endpoint.parse(opened, incoming), stream: false };
    const ids = namedIds(endpoint.names, opened.body);
    const request =
      ids.length > 0 ? { ...parsed, continued: await namedOrigin(ids, caller, this.deps.idOwners) } : parsed;
    const sent = opened.isRewritten ? await writtenBody(opened.body, rawBody) : rawBody;
    const received = { requestId, path, query, headers, address, startedAt, trace };
    return { ...received, endpoint, caller, route, request, rawBody: sent };
  }

  /** See `CallServer.prepare`. */
  prepare(...asked: Parameters<CallServer['prepare']>): ReturnType<CallServer['prepare']> {
    return this.callServer.prepare(...asked);
  }

  /**
   * Authenticates the caller of a route that only looks something up.
   * @returns the caller and the groups of the key in order
   * @throws AppError
   */
  async identify(incoming: IncomingRequest): Promise<{ caller: Caller; groups: readonly string[] }> {
    const caller = await this.authenticate(incoming);
    checkAddress(caller, incoming.address);
    this.deps.keyUses.note(caller.token, incoming.address);
    const group = groupOf(caller, this.deps.options);
    return { caller, groups: [group, ...otherGroups(caller, group, this.deps.options)] };
  }

  /**
   * Authenticates the caller. Returns at once where the key and its owner are cached.
   * @throws AppError, UnavailableError while the node is overloaded
   */
  authenticate({ headers, path, query }: IncomingRequest): Caller | Promise<Caller> {
    if (this.deps.overload.reason !== null) this.deps.overload.admit();
    return authenticateKey(findKey(headers, path, query), this.deps.keys, this.deps.clock);
  }

  /** See `RunningCalls`. */
  databaseWait(): number {
    return this.running.databaseWait();
  }

  get calls(): number {
    return this.running.count;
  }

  /** Resolves when no call is in flight or still being read. Every charge is durable then. */
  idle(): Promise<void> {
    return this.running.idle();
  }

  /**
   * Runs the stages of a call in order.
   * @throws the error that the client gets
   */
  private async answer(endpoint: Endpoint, incoming: IncomingRequest, client: ClientResponse): Promise<CallOutcome> {
    // Admit. Waiting takes time even where nothing is waited for, so values that are known are not awaited.
    checkTarget(incoming);
    const known = incoming.caller ?? this.authenticate(incoming);
    const caller = known instanceof Promise ? await known : known;
    const entered = this.deps.inFlight.enter(caller);
    const leave = entered instanceof Promise ? await entered : entered;
    client.watchGone(leave);
    const grant = this.deps.bodies.open(caller.user.id);
    try {
      // Receive
      const rawBody = await this.receive(incoming, caller, grant, endpoint.turns !== undefined);
      // Route, price, check, reserve, send
      const { reserved, served } = await this.callServer.serve({ endpoint, incoming, caller, rawBody, grant, client });
      // Settle
      const billed = await this.settle(reserved, served, client, grant);
      // Deliver the end of the response, which reports the charge
      const outcome = this.finish(reserved.call, served, billed, client, endpoint.errors(incoming));
      const { rateLimit, options } = this.deps;
      // The call is served and paid, whether or not it can be counted.
      if (served.delivery.end.kind === 'complete' && isRateLimited(caller, options)) {
        await rateLimit.succeeded(caller).catch(this.uncounted);
      }
      return outcome;
    } finally {
      grant.release();
      leave();
    }
  }

  private async settle(reserved: Reserved, served: Served, client: ClientResponse, grant: BodyGrant): Promise<Billed> {
    const { ledger, options, captures } = this.deps;
    const { call } = reserved;
    try {
      const billed = await settleCall(call, served, client.gone, reserved, ledger, options.values);
      const tokens = billed.usage.promptTokens + billed.usage.completionTokens;
      served.lease?.correct({ tokens, quota: billed.quota });
      reserved.rates?.correct(tokens);
      this.noteBalance(call.caller, billed);
      call.trace?.served(call, served, billed);
      if (call.capture) captures.keep(call, call.capture, served.meter, grant);
      return billed;
    } finally {
      served.lease?.end();
    }
  }

  private readonly uncounted = (error: unknown): void =>
    this.deps.logger.warn({ err: error }, 'a call could not be counted in its rate limit');

  /** Updates the caller's cached balance, so that the next calls need not read it. */
  private noteBalance({ user, token }: Caller, { quota, userQuota }: Billed): void {
    this.deps.keys.spent(token, quota);
    if (userQuota === null) return;
    user.quota = userQuota;
    const { balances, options } = this.deps;
    if (quota > 0 && isLow(user, userQuota, options.values.QuotaRemindThreshold)) balances?.ranLow(user.id, userQuota);
  }

  /**
   * Runs every check that does not need the body, then reads the body.
   * @param hasTurns whether the body may continue a conversation
   * @throws AppError
   */
  receive(incoming: IncomingRequest, caller: Caller, grant: BodyGrant, hasTurns = false): Promise<Buffer> {
    const { rateLimit, options } = this.deps;
    // Callbacks are used because every call comes here: an async function costs five times as much memory.
    return isRateLimited(caller, options)
      ? rateLimit.enter(caller).then(() => this.read(incoming, caller, grant, hasTurns))
      : this.read(incoming, caller, grant, hasTurns);
  }

  private read(incoming: IncomingRequest, caller: Caller, grant: BodyGrant, hasTurns: boolean): Promise<Buffer> {
    checkAddress(caller, incoming.address);
    if (caller.token.address !== incoming.address) this.deps.keyUses.note(caller.token, incoming.address);
    // Without a balance a free model may still be called, but only with a small body.
    const tokenId = caller.token.id;
    const allowance = hasTurns ? { grant, tokenId, conversations: this.conversations } : { grant, tokenId };
    const readAs = (isPaid: boolean): Promise<Buffer> =>
      incoming.readBody(isPaid ? allowance : { ...allowance, maxBytes: unpaidBodyBytes });
    return whenKnown(this.deps.keys.hasPaid(caller.user), readAs);
  }

  private finish(
    call: Call,
    served: Served,
    billed: Billed,
    client: ClientResponse,
    errors: ErrorDialect,
  ): CallOutcome {
    const { end, refused } = served.delivery;
    if (refused) sendFailure(client, toCallFailure(refused.error), call.requestId, errors);
    else if (end.kind !== 'broken') served.delivery.finish(billed.usage);
    else if (served.delivery.breakOff) served.delivery.breakOff();
    else client.end(errors.events(toCallFailure(end.error), call.requestId));
    this.measure(call, served, billed);
    const { usageAlarm } = this.deps;
    if (billed.excess) usageAlarm.raise(call, served.channel.id, billed.excess, billed.usage);
    const { unpriced } = call.request;
    if (unpriced) usageAlarm.freeTools(call, served.channel.id, toolsSent(unpriced.names, served.dropped));
    if (end.kind === 'client_gone') return { outcome: 'client_gone', stream: served.isStream };
    return {
      outcome: end.kind === 'broken' ? 'upstream_error' : 'ok',
      stream: served.isStream,
      model: call.route.model,
    };
  }

  /** Sends the error in the client's dialect: as a body, or as a final event once streaming has begun. */
  private refuse(endpoint: Endpoint, incoming: IncomingRequest, client: ClientResponse, error: unknown): CallOutcome {
    const failed = error instanceof CallFailedError ? error : null;
    const cause = failed ? failed.cause : error;
    if (cause instanceof ClientGoneError || client.gone) return { outcome: 'client_gone', stream: false };
    const failure = toCallFailure(cause, failed?.view);
    if (!failed && isOurFault(cause)) {
      this.deps.logger.error({ err: cause, requestId: incoming.requestId }, 'relay call failed');
    }
    incoming.trace?.failed(failure);
    const errors = endpoint.errors(incoming);
    if (failure.overflow && errors.streamsOverflow && failed?.isStream) client.openStream({});
    sendFailure(client, failure, incoming.requestId, errors);
    return { outcome: failed ? 'upstream_error' : failure.status < 500 ? 'client_error' : 'error', stream: false };
  }

  private measure(call: Call, served: Served, { usage, quota }: Billed): void {
    const { metrics } = this.deps;
    const tally = metrics.relay.of(call.route.model);
    tally.promptTokens += usage.promptTokens;
    tally.completionTokens += usage.completionTokens;
    tally.cachedTokens += usage.cachedTokens;
    tally.quota += quota;
    metrics.channels.served(served.channel.id, usage, served.affinity);
    if (served.firstByteAt !== null) {
      metrics.relayFirstByte.observe(call.endpoint.route, true, secondsIn(served.firstByteAt - call.startedAt));
    }
  }
}

function countHere({ endpoint, route: { bareModel }, request, rawBody }: RoutedCall): number | Promise<number> {
  return rawBody.length > exactCountBytes
    ? estimatePrompt(rawBody, request.body, bareModel)
    : countPrompt(endpoint.tariff.prompt(request, bareModel), bareModel);
}

/**
 * Whether an operator should see the failure. Failures that the ledger and the database log themselves are excluded.
 */
const isOurFault = (error: unknown): boolean => !isAppError(error) || error.code === 'INTERNAL_ERROR';
