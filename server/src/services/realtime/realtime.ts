import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { ChargeCheckpoints } from '../../billing/ledger/index.js';
import type { Fields } from '../../dialects/neutral/fields.js';
import { seconds, secondsIn } from '../../shared/clock.js';
import { isAppError } from '../../shared/errors.js';
import type { Secrets } from '../../shared/secrets.js';
import { isRateLimited } from '../../gateway/route/call-route.js';
import type { Caller } from '../../gateway/admit/authentication.js';
import type { InFlight } from '../../gateway/admit/in-flight.js';
import type { BodyBudget, BodyGrant } from '../../gateway/admit/body-budget.js';
import { CallFailedError } from '../../gateway/send/attempts.js';
import type { Guardrails } from '../../gateway/admit/guardrails/guardrails.js';
import type { Tracing } from '../../gateway/observe/tracing/tracing.js';
import type { UsageAlarm } from '../../gateway/observe/usage-alarm.js';
import { ClientGoneError } from '../../gateway/deliver/delivery.js';
import type { IncomingRequest } from '../../gateway/request.js';
import type { Relay } from '../../gateway/pipeline.js';
import { encodingOf, loadEncoding } from '../../gateway/reserve/metering/text-meter.js';
import { AwaitedModel } from './awaited-model.js';
import {
  ClientSecrets,
  framesOf,
  maxSecretBytes,
  modelFor,
  readSecretRequest,
  type BoundSession,
  type SecretVersion,
} from './client-secrets.js';
import { offeredProtocols, withProtocolKey } from './protocols.js';
import { connectRealtime, type Connected, type RealtimeConnectDeps } from './realtime-connect.js';
import { SessionAdmission, type PaidSession, type SessionAdmissionDeps } from './session-admission.js';
import { SessionCost } from './session-cost.js';
import { createdFrame, failureOf } from './session-events.js';
import { usageOf } from './session-price.js';
import { realtimeRoute, SessionRecords, type SessionRecordsDeps } from './session-records.js';
import { RealtimeSession } from './session.js';
import { SessionWatch } from './session-watch.js';
import { countFrames } from './socket-reading.js';
import { defaultPairLimits, type Frame, type SocketPairLimits } from './socket-pair.js';

export interface RealtimeDeps extends RealtimeConnectDeps, SessionAdmissionDeps, SessionRecordsDeps {
  readonly relay: Pick<Relay, 'authenticate'>;
  readonly secrets: Pick<Secrets, 'seal' | 'open'>;
  readonly inFlight: InFlight;
  /** Bounds the memory of incomplete frames. */
  readonly bodies: BodyBudget;
  readonly guardrails: Guardrails;
  readonly tracing: Tracing | undefined;
  readonly usageAlarm: UsageAlarm;
  readonly checkpoints: ChargeCheckpoints;
  /** Maximum bytes of a frame. Default: 16 MB, see docs/reference/relay/guarantees.md#memory-and-streams. */
  readonly maxFrameBytes?: number;
  readonly limits?: SocketPairLimits;
}

/** A session whose WebSocket may be opened. */
export interface OpenedSession {
  /** The grant of the request body budget for the client's frames. */
  readonly grant: BodyGrant;
  begin(client: WebSocket): void;
  /** Ends a session whose client disconnected before it began. */
  abandon(): Promise<void>;
}

/** A client that passed every check that needs no model. */
interface Arrival {
  readonly call: IncomingRequest;
  readonly query: URLSearchParams;
  /** The session of the client secret; absent with an ordinary key. */
  readonly bound?: BoundSession | undefined;
  readonly grant: BodyGrant;
  /** Releases the concurrency slot. */
  readonly leave: () => void;
}

const usualFrameBytes = 16 * 1024 * 1024;
/** Milliseconds until an event has to name the model of a transcription session. */
const namingMilliseconds = 30_000;

/** Realtime sessions, from the API key to the log row. */
export class Realtime {
  /** Sessions, including clients whose model is not known yet. */
  private readonly sessions = new Map<RealtimeSession | AwaitedModel, Promise<void>>();
  private readonly admission: SessionAdmission;
  private readonly records: SessionRecords;
  private readonly clientSecrets: ClientSecrets;
  private readonly maxFrameBytes: number;
  private readonly server: WebSocketServer;

  constructor(private readonly deps: RealtimeDeps) {
    this.admission = new SessionAdmission(deps);
    this.records = new SessionRecords(deps);
    this.clientSecrets = new ClientSecrets(deps);
    this.maxFrameBytes = deps.maxFrameBytes ?? usualFrameBytes;
    this.server = new WebSocketServer({
      noServer: true,
      maxPayload: this.maxFrameBytes,
      perMessageDeflate: false,
      handleProtocols: (offered) => (offered.has('realtime') ? 'realtime' : false),
    });
  }

  /**
   * Returns a client secret, with which a browser may open the session that the body describes.
   * @throws AppError
   */
  async createSecret(incoming: IncomingRequest, version: SecretVersion): Promise<Fields> {
    const { relay, bodies } = this.deps;
    const caller = await relay.authenticate(incoming);
    await this.admission.enter(caller, incoming);
    const grant = bodies.open(caller.user.id);
    try {
      const bytes = await incoming.readBody({ grant, tokenId: caller.token.id, maxBytes: maxSecretBytes });
      const request = readSecretRequest(bytes, version);
      const { model, isTranscription } = request;
      if (model !== null) this.admission.admit(caller, incoming, model, isTranscription);
      return this.clientSecrets.create(incoming, request);
    } finally {
      grant.release();
    }
  }

  /**
   * Runs every check that can fail with a plain HTTP response.
   * @throws AppError, CallFailedError
   */
  async open(incoming: IncomingRequest, signal: AbortSignal): Promise<OpenedSession> {
    const trace = this.deps.tracing?.begin({ operation: 'realtime' }, incoming);
    try {
      return await this.openTraced({ ...incoming, ...(trace ? { trace } : {}) }, signal);
    } catch (error) {
      trace?.failed(failureOf(error));
      trace?.end({ outcome: outcomeOf(error, signal) });
      throw error;
    }
  }

  private async openTraced(incoming: IncomingRequest, signal: AbortSignal): Promise<OpenedSession> {
    const keyed = { ...incoming, headers: withProtocolKey(incoming.headers) };
    const { call, bound } = this.clientSecrets.open(keyed);
    const caller = await this.deps.relay.authenticate(call);
    // A client that has disconnected must not take the slot from its next session, not even for a moment.
    if (signal.aborted) throw new CallFailedError(new ClientGoneError(), undefined, []);
    const leave = await this.deps.inFlight.enter(caller);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) {
      leave();
      throw new CallFailedError(new ClientGoneError(), undefined, []);
    }
    try {
      return await this.openFor(caller, { call, bound, leave }, signal);
    } catch (error) {
      leave();
      throw error;
    }
  }

  private async openFor(
    caller: Caller,
    { call, bound, leave }: Pick<Arrival, 'call' | 'bound' | 'leave'>,
    signal: AbortSignal,
  ): Promise<OpenedSession> {
    const query = new URLSearchParams(call.query);
    await this.admission.enter(caller, call);
    const grant = this.deps.bodies.open(caller.user.id);
    const arrival = { call, query, bound, grant, leave };
    const model = modelFor(query.get('model') || (query.get('deployment') ?? ''), bound);
    if (model === '' && (bound?.isTranscription || query.get('intent') === 'transcription'))
      return this.openUnnamed(arrival, caller);
    const paid = this.admission.admit(caller, call, model, false);
    const connected = await this.connect(paid, query, signal);
    return {
      grant,
      begin: (client) => {
        this.occupy(client, leave);
        this.run(this.toSession(client, paid, connected), arrival, framesOf(bound));
      },
      abandon: async () => {
        leave();
        await this.abandon(paid, connected);
      },
    };
  }

  /** Opens a transcription session, whose model is named by an event after the upgrade. */
  private openUnnamed(arrival: Arrival, { user }: Caller): OpenedSession {
    const { call, bound, grant, leave } = arrival;
    const { bodies, clock, limits = defaultPairLimits } = this.deps;
    const { closeMilliseconds, sessionMilliseconds } = limits;
    return {
      grant,
      begin: (client) => {
        this.occupy(client, leave);
        const isBeta = offeredProtocols(call.headers).headers['openai-beta']?.includes('realtime=v1') === true;
        client.send(createdFrame(call.requestId, seconds(clock) + Math.trunc(secondsIn(sessionMilliseconds)), isBeta));
        const kept = bodies.open(user.id);
        const timing = { milliseconds: namingMilliseconds, closeMilliseconds };
        const awaited = new AwaitedModel(client, { requestId: call.requestId, kept, ...timing });
        for (const frame of framesOf(bound)) awaited.accept(frame);
        const started = this.start(client, awaited, arrival).finally(() => this.sessions.delete(awaited));
        this.sessions.set(awaited, started);
      },
      abandon: () => {
        leave();
        call.trace?.end({ outcome: 'client_gone' });
        return Promise.resolve();
      },
    };
  }

  /** Admits and begins a session once its model is named. Never throws: every failure is sent to the client. */
  private async start(client: WebSocket, awaited: AwaitedModel, arrival: Arrival): Promise<void> {
    const { call, query } = arrival;
    const { relay, logger, metrics } = this.deps;
    try {
      const model = await awaited.model;
      // The key may have been disabled while the client waited.
      const caller = await relay.authenticate(call);
      const paid = this.admission.admit(caller, call, model, true);
      const connected = await this.connect(paid, query, awaited.signal);
      if (awaited.signal.aborted) return await this.abandon(paid, connected);
      this.run(this.toSession(client, paid, connected), arrival, awaited.take());
    } catch (error) {
      const outcome = outcomeOf(error, awaited.signal);
      // The error log counts errors of providers.
      if (outcome !== 'upstream_error') metrics.relay.of('none').finished(realtimeRoute, outcome);
      if (outcome === 'error') logger.error({ err: error, requestId: call.requestId }, 'session could not be opened');
      call.trace?.failed(failureOf(error));
      call.trace?.end({ outcome });
      awaited.refuse(error);
    }
  }

  /**
   * Reserves the first turn, and opens a session at a provider.
   * @throws AppError, CallFailedError
   */
  private async connect(paid: PaidSession, query: URLSearchParams, signal: AbortSignal): Promise<Connected> {
    const { call, caller, route, isTranscription } = paid;
    const { rateLimit, options } = this.deps;
    await this.admission.hold(paid);
    let opened: Connected | null = null;
    try {
      if (signal.aborted) throw new CallFailedError(new ClientGoneError(), undefined, []);
      const { maxFrameBytes } = this;
      const wanted = { call, userId: caller.user.id, route, query, isTranscription, maxFrameBytes, signal };
      const connected = (opened = await connectRealtime(wanted, this.deps));
      // A turn that breaks off is charged by the count here. The encoding is loaded first, so that the count does not
      // depend on loading time.
      await loadEncoding(encodingOf(connected.upstreamModel)).catch(() => undefined);
      if (isRateLimited(caller, options)) await rateLimit.succeeded(caller);
      return connected;
    } catch (error) {
      // The provider would keep an idle session open, and may bill it by the second.
      opened?.span?.aborted();
      opened?.upstream.terminate();
      await paid.sessionLedger.close();
      this.records.failed(paid, error);
      throw error;
    }
  }

  /** Closes the connection to the provider, because the client disconnected while it was opened. */
  private async abandon({ call, sessionLedger }: PaidSession, { span, upstream }: Connected): Promise<void> {
    span?.aborted();
    call.trace?.end({ outcome: 'client_gone' });
    upstream.terminate();
    await sessionLedger.close();
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

  private toSession(client: WebSocket, paid: PaidSession, connected: Connected): RealtimeSession {
    const { logger, options, checkpoints, limits = defaultPairLimits } = this.deps;
    const { requestId, address, startedAt } = paid.call;
    const { channel, usedChannels, upstreamModel, upstream } = connected;
    // The time in which a client waited for its provider counts as session time.
    const sessionMilliseconds = limits.sessionMilliseconds - (performance.now() - startedAt);
    const watch = this.watchOf(paid);
    const cost = channel.cost.find(upstreamModel, paid.route.bareModel);
    return new RealtimeSession(client, upstream, {
      ...paid,
      requestId,
      address,
      startedAt,
      channelId: channel.id,
      usedChannels,
      upstreamModel,
      options,
      logger,
      checkpoints,
      isOwnAccount: channel.ownerId === paid.caller.user.id,
      limits: { ...limits, sessionMilliseconds },
      cost: new SessionCost(cost, (other) => (paid.isTranscription ? cost : channel.cost.find(other, other))),
      watch,
      ended: (total) => this.records.ended(paid, connected, watch, total),
      charged: (turn) => this.records.charged(paid, turn),
      impossible: (reported, charged) => {
        const call = { requestId, route: paid.route };
        const excess = { kind: 'impossible', reported: usageOf(reported) } as const;
        this.deps.usageAlarm.raise(call, channel.id, excess, usageOf(charged));
      },
      freeTools: (names) => this.deps.usageAlarm.freeTools({ requestId, route: paid.route }, channel.id, names),
      hold: () => this.admission.holdAnother(paid),
      reserve: (cost) => this.admission.reserveResponse(paid, cost),
      reserveNothing: () => this.admission.reserveNothing(paid),
    });
  }

  /** Returns guardrails and capture of a session; undefined when no rule concerns the caller. */
  private watchOf({ call, caller, route }: PaidSession): SessionWatch | undefined {
    const { guardrails, captures } = this.deps;
    const guard = guardrails.of(caller, route.group, route.model, call.requestId);
    const capture = captures.of(caller, route.group);
    return guard || capture ? new SessionWatch(guard, capture) : undefined;
  }

  /** Occupies a concurrency slot until the client disconnects. Charging the last turn occupies none. */
  private occupy(client: WebSocket, leave: () => void): void {
    const { relay } = this.deps.metrics;
    relay.underWay(realtimeRoute, 1);
    client.once('close', () => {
      leave();
      relay.underWay(realtimeRoute, -1);
    });
  }

  private run(session: RealtimeSession, { grant, leave }: Arrival, early?: readonly Frame[]): void {
    const { metrics } = this.deps;
    const ended = session.run(early).finally(() => {
      leave();
      grant.release();
      metrics.relay.of(metrics.knownLabel('model', session.model)).finished(realtimeRoute, 'ok');
      this.sessions.delete(session);
    });
    this.sessions.set(session, ended);
  }
}

/** The outcome of a call whose session could not be opened. */
function outcomeOf(error: unknown, { aborted }: AbortSignal): string {
  if (aborted) return 'client_gone';
  if (error instanceof CallFailedError) return 'upstream_error';
  return isAppError(error) ? 'client_error' : 'error';
}
