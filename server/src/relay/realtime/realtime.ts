import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { PriceBook } from '../../modules/pricing/price-book.service.js';
import { BudgetError } from '../../modules/quota/budget-holds.service.js';
import { QuotaError, type Ledger, type Transaction } from '../../modules/quota/ledger.service.js';
import { SessionBooks } from '../../modules/quota/session-books.service.js';
import type { Logger } from '../../observability/logger.js';
import type { Metrics } from '../../observability/metrics.js';
import type { Clock } from '../../shared/clock.js';
import { InvalidInputError, isAppError } from '../../shared/errors.js';
import { admit, checkAddress, isRateLimited, type Admission } from '../access/admission.js';
import type { Caller } from '../access/authentication.js';
import type { BodyBudget, BodyGrant, InFlight } from '../access/limits.js';
import type { ModelRateLimit } from '../access/rate-limit.js';
import { isLow, type KeyDirectory } from '../access/key-directory.js';
import type { KeyUses } from '../access/key-uses.js';
import { CallFailedError } from '../attempt/attempts.js';
import type { CallBudgets } from '../budgets/call-budgets.js';
import type { CallRates } from '../budgets/call-rates.js';
import type { Guardrails } from '../guardrails/guardrails.js';
import type { Captures } from '../record/captures.js';
import type { Tracing } from '../tracing/tracing.js';
import { noUsage } from '../../shared/usage.js';
import type { BalanceWatch } from '../record/balance-watch.js';
import type { UsageAlarm } from '../record/usage-alarm.js';
import { ClientGoneError } from '../call/delivery.js';
import type { ErrorLog } from '../record/error-log.js';
import { toCallFailure } from '../errors/failure.js';
import type { Relay } from '../call/relay.js';
import type { IncomingCall } from '../call/incoming-call.js';
import { wordedQuotaError } from '../record/reserve.js';
import { encodingOf, loadEncoding } from '../metering/text-meter.js';
import { withProtocolKey } from './protocols.js';
import { connectRealtime, type Connected, type RealtimeConnectDeps } from './realtime-connect.js';
import { SessionCost } from './session-cost.js';
import { inputOf, outputOf, SessionPrice, usageOf } from './session-price.js';
import { RealtimeSession, type ChargedTurn, type SessionTotal } from './session.js';
import { SessionWatch } from './session-watch.js';
import { defaultPairLimits, type SocketPairLimits } from './socket-pair.js';

export interface RealtimeDeps extends RealtimeConnectDeps {
  readonly relay: Pick<Relay, 'authenticate'>;
  readonly keys: KeyDirectory;
  readonly keyUses: KeyUses;
  readonly rateLimit: ModelRateLimit;
  readonly inFlight: InFlight;
  /** Bounds what frames that are not complete yet may hold. */
  readonly bodies: BodyBudget;
  readonly prices: PriceBook;
  readonly ledger: Ledger;
  readonly budgets: CallBudgets;
  readonly rates: CallRates;
  readonly database: Transaction;
  readonly errors: ErrorLog;
  readonly guardrails: Guardrails;
  readonly captures: Captures;
  readonly tracing: Tracing | undefined;
  readonly balances: BalanceWatch | null;
  readonly usageAlarm: UsageAlarm;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Default: 16 MB, see docs/reference/relay/guarantees.md#memory-and-streams. */
  readonly maxFrameBytes?: number;
  readonly limits?: SocketPairLimits;
}

/** A session that may begin: its first turn is reserved, and its provider is connected. */
export interface OpenedSession {
  /** The share of the request body budget that the client's frames hold. */
  readonly grant: BodyGrant;
  begin(client: WebSocket): void;
  /** The client left before the session could begin. */
  abandon(): Promise<void>;
}

/** The fields of a session that billing needs. */
interface PaidSession {
  readonly call: IncomingCall;
  readonly caller: Caller;
  readonly admission: Admission;
  readonly price: SessionPrice;
  readonly books: SessionBooks;
}

const route = '/v1/realtime';
const usualFrameBytes = 16 * 1024 * 1024;

/** Realtime sessions, from the API key to the log row. */
export class Realtime {
  private readonly sessions = new Map<RealtimeSession, Promise<void>>();
  private readonly maxFrameBytes: number;
  private readonly server: WebSocketServer;

  constructor(private readonly deps: RealtimeDeps) {
    this.maxFrameBytes = deps.maxFrameBytes ?? usualFrameBytes;
    this.server = new WebSocketServer({
      noServer: true,
      maxPayload: this.maxFrameBytes,
      perMessageDeflate: false,
      handleProtocols: (offered) => (offered.has('realtime') ? 'realtime' : false),
    });
  }

  /**
   * Runs every check that can fail with a plain HTTP response.
   * @throws AppError, CallFailedError
   */
  async open(incoming: IncomingCall, signal: AbortSignal): Promise<OpenedSession> {
    const trace = this.deps.tracing?.begin({ route: 'realtime' }, incoming);
    try {
      return await this.openTraced({ ...incoming, ...(trace ? { trace } : {}) }, signal);
    } catch (error) {
      const failed = error instanceof CallFailedError ? error : null;
      trace?.failed(toCallFailure(failed ? failed.cause : error, failed?.view));
      trace?.end({ outcome: signal.aborted ? 'client_gone' : failed ? 'upstream_error' : 'client_error' });
      throw error;
    }
  }

  private async openTraced(incoming: IncomingCall, signal: AbortSignal): Promise<OpenedSession> {
    const call = { ...incoming, headers: withProtocolKey(incoming.headers) };
    const caller = await this.deps.relay.authenticate(call);
    const leave = await this.deps.inFlight.enter(caller);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) {
      leave();
      throw new CallFailedError(new ClientGoneError(), undefined, []);
    }
    try {
      return await this.openFor(caller, call, signal, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  private async openFor(
    caller: Caller,
    call: IncomingCall,
    signal: AbortSignal,
    leave: () => void,
  ): Promise<OpenedSession> {
    const { rateLimit } = this.deps;
    const query = new URLSearchParams(call.query);
    const paid = await this.admit(caller, call, query);
    await this.hold(paid);
    let opened: Connected | null = null;
    try {
      const { admission, caller } = paid;
      const { maxFrameBytes } = this;
      const wanted = { call, userId: caller.user.id, admission, query, maxFrameBytes, signal };
      const connected = (opened = await connectRealtime(wanted, this.deps));
      // A turn that breaks off is charged by our own count, which must not depend on how soon the tables are there.
      await loadEncoding(encodingOf(connected.upstreamModel)).catch(() => undefined);
      if (isRateLimited(caller, this.deps.options)) await rateLimit.succeeded(caller);
      const grant = this.deps.bodies.open(caller.user.id);
      return {
        grant,
        begin: (client) => this.begin(client, this.toSession(client, paid, connected), leave, grant),
        abandon: async () => {
          leave();
          connected.span?.aborted();
          call.trace?.end({ outcome: 'client_gone' });
          connected.upstream.terminate();
          await paid.books.close();
        },
      };
    } catch (error) {
      // The provider would keep an idle session, and may bill it by the second.
      opened?.span?.aborted();
      opened?.upstream.terminate();
      await paid.books.close();
      this.noteFailure(paid, error);
      throw error;
    }
  }

  /** Completes the WebSocket upgrade of the client's connection. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, session: OpenedSession): void {
    let isBegun = false;
    socket.once('close', () => {
      if (!isBegun) void session.abandon();
    });
    this.server.handleUpgrade(request, socket, head, (client) => {
      isBegun = true;
      session.begin(client);
      countFrames(socket, client, session.grant);
    });
  }

  /** Ends every session; resolves when all of them are charged. */
  async stop(): Promise<void> {
    for (const session of this.sessions.keys()) session.close();
    await Promise.all(this.sessions.values());
    this.server.close();
  }

  /**
   * Checks access and price, in the order of docs/reference/relay/access.md#order-of-checks.
   * @throws AppError
   */
  private async admit(caller: Caller, call: IncomingCall, query: URLSearchParams): Promise<PaidSession> {
    const { rateLimit, channels, prices, ledger, database, clock, options, logger } = this.deps;
    if (isRateLimited(caller, options)) await rateLimit.enter(caller);
    checkAddress(caller, call.address);
    this.deps.keyUses.note(caller.token, call.address);
    const model = query.get('model') || (query.get('deployment') ?? '');
    if (model === '') throw new InvalidInputError('model is required', 'model');
    const admission = admit(caller, model, channels.table, options);
    const terms = { group: admission.group, acceptsUnpriced: caller.user.acceptsUnpriced };
    const sale = prices.price(admission.bareModel, terms);
    const price = new SessionPrice(sale, options.values, (other) => prices.ofTranscripts(sale, other, admission.group));
    const budgets = this.deps.budgets.of(caller, admission.group, admission.bareModel) ?? undefined;
    const books = new SessionBooks(
      { ledger, database, clock, logger },
      { requestId: call.requestId, userId: caller.user.id, tokenId: caller.token.id, modelName: admission.model },
      budgets && ((money) => budgets.holds({ money, tokens: options.values.PreConsumedQuota })),
    );
    return { call, caller, admission, price, books };
  }

  /**
   * Reserves the next turn: as much as the dearest one cost, or what is there, so that sessions of one user do not spend
   * the same balance.
   * @throws AppError
   */
  private async hold({ books, price, caller, admission }: PaidSession): Promise<void> {
    const { budgets, rates } = this.deps;
    const { values } = this.deps.options;
    await rates.request(budgets.rates(caller, admission.group, admission.bareModel));
    const { amount: least, priced } = price.reserve();
    let amount = priced && values.StrictReserve ? Math.max(least, price.dearestTurn) : least;
    for (;;) {
      try {
        return await books.reserve(amount, priced);
      } catch (error) {
        const available = availableOf(error);
        if (available !== null && available >= Math.max(1, least) && available < amount) {
          amount = available;
          continue;
        }
        budgets.refused(error);
        if (isAppError(error) && error.code === 'INSUFFICIENT_TOKEN_QUOTA') this.deps.keys.forget(caller.key);
        const needed = error instanceof QuotaError ? new QuotaError(error.code, error.available, least) : error;
        throw wordedQuotaError(needed, values);
      }
    }
  }

  /**
   * A key that was revoked, or whose owner was banned, gets no further turn. Whether it can pay is the ledger's
   * decision.
   */
  private async holdAnother(paid: PaidSession): Promise<void> {
    await this.deps.relay.authenticate(paid.call).catch((error: unknown) => {
      if (!isAppError(error) || error.code !== 'TOKEN_QUOTA_EXHAUSTED') throw error;
    });
    await this.hold(paid);
  }

  private toSession(client: WebSocket, paid: PaidSession, connected: Connected): RealtimeSession {
    const { logger, options, limits = defaultPairLimits } = this.deps;
    const { requestId, startedAt } = paid.call;
    const { channel, usedChannels, upstreamModel, upstream } = connected;
    const watch = this.watchOf(paid);
    return new RealtimeSession(client, upstream, {
      ...paid,
      ...{ requestId, startedAt, channelId: channel.id, usedChannels, upstreamModel, options, limits, logger },
      cost: new SessionCost(channel.cost.find(upstreamModel, paid.admission.bareModel), (other) =>
        channel.cost.find(other, other),
      ),
      watch,
      ended: (total) => this.ended(paid, connected, watch, total),
      charged: (turn) => this.charged(paid, turn),
      impossible: (reported, charged) => {
        const call = { requestId, admission: paid.admission };
        const excess = { kind: 'impossible', reported: usageOf(reported) } as const;
        this.deps.usageAlarm.raise(call, channel.id, excess, usageOf(charged));
      },
      holdTurn: () => this.holdAnother(paid),
    });
  }

  /** Guardrails and capture of a session; undefined where none concerns the caller. */
  private watchOf({ call, caller, admission }: PaidSession): SessionWatch | undefined {
    const { guardrails, captures } = this.deps;
    const guard = guardrails.of(caller, admission.group, admission.model, call.requestId);
    const capture = captures.of(caller, admission.group);
    return guard || capture ? new SessionWatch(guard, capture) : undefined;
  }

  private ended(
    { call, caller, admission }: PaidSession,
    { channel, upstreamModel, span }: Connected,
    watch: SessionWatch | undefined,
    { usage, quota, firstDataAt }: SessionTotal,
  ): void {
    if (watch?.capture) {
      const { input, output } = watch.content;
      const captured = { requestId: call.requestId, caller, admission, call: { body: { input } } };
      this.deps.captures.keep(captured, watch.capture, { transcript: output });
    }
    const received = { upstreamModel, firstByteAt: firstDataAt, delivery: { end: { kind: 'complete' } } };
    span?.served(received);
    const asked = { caller, admission, call: { body: {}, stream: true, maxOutput: 0 }, startedAt: call.startedAt };
    const counted = { ...noUsage, promptTokens: inputOf(usage), completionTokens: outputOf(usage) };
    call.trace?.served(asked, { ...received, channel }, { usage: counted, quota });
    call.trace?.end({ outcome: 'ok' });
  }

  private charged({ caller, admission }: PaidSession, { usage, quota, userQuota }: ChargedTurn): void {
    const { keys, metrics } = this.deps;
    const { user, token } = caller;
    keys.spent(token, quota);
    if (quota > 0 && userQuota !== null) void this.watchBalance(user.id, userQuota);
    const tally = metrics.relay.of(metrics.knownLabel('model', admission.model));
    tally.quota += quota;
    tally.promptTokens += inputOf(usage);
    tally.completionTokens += outputOf(usage);
  }

  /** The user is looked up again: a session lasts long, and they may have changed their threshold. Never throws. */
  private async watchBalance(userId: number, left: number): Promise<void> {
    const { keys, balances, options, logger } = this.deps;
    try {
      const user = await keys.user(userId);
      if (user && isLow(user, left, options.values.QuotaRemindThreshold)) balances?.ranLow(userId, left);
    } catch (error) {
      logger.warn({ err: error, userId }, 'balance could not be compared with its threshold');
    }
  }

  private begin(client: WebSocket, session: RealtimeSession, leave: () => void, grant: BodyGrant): void {
    const { metrics } = this.deps;
    metrics.relay.underWay(route, 1);
    // Charging the last turn occupies neither a slot nor a call.
    client.once('close', () => {
      leave();
      metrics.relay.underWay(route, -1);
    });
    const ended = session.run().finally(() => {
      leave();
      grant.release();
      metrics.relay.of(metrics.knownLabel('model', session.model)).finished(route, 'ok');
      this.sessions.delete(session);
    });
    this.sessions.set(session, ended);
  }

  /** Logs a session that was accepted and that no channel could open. */
  private noteFailure({ call, caller, admission }: PaidSession, error: unknown): void {
    if (!(error instanceof CallFailedError) || error.cause instanceof ClientGoneError) return;
    const { errors, metrics } = this.deps;
    metrics.relay.of(metrics.knownLabel('model', admission.model)).finished(route, 'upstream_error');
    const { requestId, path, startedAt } = call;
    errors.note({
      call: { requestId, path, startedAt, caller, admission, call: { stream: true } },
      error: error.cause,
      failure: toCallFailure(error.cause, error.view),
      usedChannels: error.usedChannels,
    });
  }
}

/** The quota that a refusing balance or budget of money has left; null for other errors. */
function availableOf(error: unknown): number | null {
  const hasLeft = error instanceof QuotaError || (error instanceof BudgetError && error.hold.kind === 'money');
  return hasLeft ? error.available : null;
}

/** Counts the bytes of frames while they arrive; a client above its budget is disconnected. */
export function countFrames(socket: Duplex, client: WebSocket, grant: BodyGrant): void {
  socket.on('data', (chunk: Buffer) => {
    try {
      grant.grow(chunk.length);
    } catch {
      grant.release();
      client.close(1013, 'too many large frames at once');
      client.terminate();
    }
  });
  client.on('message', () => grant.release());
  // An unfinished frame ends with its connection.
  client.once('close', () => grant.release());
}
