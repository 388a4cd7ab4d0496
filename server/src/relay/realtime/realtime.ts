import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { OptionValues } from '../../modules/options/option.service.js';
import type { PriceBook } from '../../modules/pricing/price-book.service.js';
import type { Ledger, Transaction } from '../../modules/quota/ledger.service.js';
import { SessionBooks } from '../../modules/quota/session-books.service.js';
import type { Logger } from '../../observability/logger.js';
import type { OutboundGuard } from '../../outbound/outbound-guard.js';
import type { Clock } from '../../shared/clock.js';
import { InvalidInputError, isAppError } from '../../shared/errors.js';
import { admit, checkAddress, noChannel, type Admission } from '../access/admission.js';
import type { Caller } from '../access/authentication.js';
import type { KeyDirectory } from '../access/key-directory.js';
import type { ModelRateLimit } from '../access/rate-limit.js';
import { UpstreamError } from '../adapter.js';
import type { IncomingCall, Relay } from '../relay.js';
import type { KeyRing } from '../routing/key-ring.js';
import { mapModel } from '../routing/model-mapping.js';
import { isRetryable, retriesAllowed } from '../routing/retry.js';
import type { RoutedChannel } from '../routing/routed-channel.js';
import type { RoutingDirectory } from '../routing/routing-directory.js';
import { pickChannel } from '../routing/selection.js';
import { UpstreamConnectionError } from '../upstream/exchange.js';
import { offeredProtocols, withProtocolKey } from './protocols.js';
import { realtimeTarget } from './realtime-target.js';
import { SessionPrice } from './session-price.js';
import { RealtimeSession } from './session.js';
import { openUpstreamSocket } from './upstream-socket.js';

export interface RealtimeParts {
  readonly relay: Pick<Relay, 'authenticate'>;
  readonly keys: KeyDirectory;
  readonly rateLimit: ModelRateLimit;
  readonly channels: RoutingDirectory;
  readonly keyRing: KeyRing;
  readonly prices: PriceBook;
  readonly ledger: Ledger;
  readonly database: Transaction;
  readonly guard: OutboundGuard;
  readonly options: { readonly values: OptionValues };
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A session that may begin: paid for, and its provider on the line. */
export interface OpenedSession {
  begin(client: WebSocket): void;
  /** The client left before it could begin. */
  abandon(): Promise<void>;
}

interface Connected {
  readonly channel: RoutedChannel;
  readonly usedChannels: readonly number[];
  readonly upstream: WebSocket;
  readonly upstreamModel: string;
}

const maxFrameBytes = 16 * 1024 * 1024;

/** Realtime sessions, from key to log row. */
export class Realtime {
  private readonly sessions = new Map<RealtimeSession, Promise<void>>();
  private readonly server = new WebSocketServer({
    noServer: true,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has('realtime') ? 'realtime' : false),
  });

  constructor(private readonly parts: RealtimeParts) {}

  /** Everything that can be refused with a plain answer. @throws AppError, UpstreamError */
  async open(incoming: IncomingCall, signal: AbortSignal): Promise<OpenedSession> {
    const { relay, rateLimit, channels, prices, ledger, database, clock, options, keys, logger } = this.parts;
    const call = { ...incoming, headers: withProtocolKey(incoming.headers) };
    const caller = await relay.authenticate(call);
    if (rateLimit.concerns(caller)) await rateLimit.enter(caller);
    checkAddress(caller, call.address);
    const query = new URLSearchParams(call.query);
    const model = query.get('model') ?? '';
    if (model === '') throw new InvalidInputError('model is required', 'model');
    const admission = admit(caller, model, channels.table, options);
    const terms = { group: admission.group, acceptsUnpriced: caller.user.acceptsUnpriced };
    const price = new SessionPrice(prices.price(admission.bareModel, terms), options.values);
    const { requestId, startedAt } = call;
    const books = new SessionBooks(
      { ledger, database, clock, logger },
      { requestId, userId: caller.user.id, tokenId: caller.token.id },
    );
    await this.hold(books, price, caller);
    try {
      const connected = await this.connect(call, admission, query, signal);
      const { upstream, channel, usedChannels, upstreamModel } = connected;
      if (rateLimit.concerns(caller)) await rateLimit.succeeded(caller);
      const parts = { requestId, startedAt, caller, admission, price, books, logger, usedChannels, upstreamModel };
      return {
        begin: (client) =>
          this.begin(
            new RealtimeSession(client, upstream, {
              ...parts,
              channelId: channel.id,
              values: options.values,
              charged: (quota) => keys.spent(caller.token, quota),
            }),
          ),
        abandon: async () => {
          upstream.terminate();
          await books.close();
        },
      };
    } catch (error) {
      await books.close();
      throw error;
    }
  }

  /** Makes the client's connection a socket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, session: OpenedSession): void {
    let isBegun = false;
    socket.once('close', () => {
      if (!isBegun) void session.abandon();
    });
    this.server.handleUpgrade(request, socket, head, (client) => {
      isBegun = true;
      session.begin(client);
    });
  }

  get active(): number {
    return this.sessions.size;
  }

  /** Ends every session; resolves when all of them are charged. */
  async stop(): Promise<void> {
    for (const session of this.sessions.keys()) session.close();
    await Promise.all(this.sessions.values());
    this.server.close();
  }

  private begin(session: RealtimeSession): void {
    this.sessions.set(
      session,
      session.run().finally(() => this.sessions.delete(session)),
    );
  }

  private async hold(books: SessionBooks, price: SessionPrice, caller: Caller): Promise<void> {
    const { amount, priced } = price.reserve();
    try {
      await books.reserve(amount, priced);
    } catch (error) {
      if (isAppError(error) && error.code === 'INSUFFICIENT_TOKEN_QUOTA') this.parts.keys.forget(caller.key);
      throw error;
    }
  }

  /** Tries channels until one opens a session. @throws what the last one said */
  private async connect(
    call: IncomingCall,
    admission: Admission,
    query: URLSearchParams,
    signal: AbortSignal,
  ): Promise<Connected> {
    const { keyRing, options } = this.parts;
    const usedChannels: number[] = [];
    const retries = admission.pinned ? 0 : retriesAllowed(options.values.RetryTimes);
    for (let attempt = 0; ; attempt++) {
      const channel = this.choose(admission, attempt, usedChannels);
      usedChannels.push(channel.id);
      const keyIndex = keyRing.take(channel);
      try {
        const upstreamModel = mapModel(channel.mapping, admission.model, admission.bareModel);
        const target = realtimeTarget(channel, channel.keys[keyIndex] ?? '', upstreamModel, query);
        const offered = offeredProtocols(call.headers);
        const upstream = await openUpstreamSocket(target, this.parts.guard, { ...offered, maxFrameBytes, signal });
        keyRing.reached(channel, keyIndex);
        return { channel, usedChannels, upstream, upstreamModel };
      } catch (error) {
        this.learn(call.requestId, channel, keyIndex, error);
        const status = error instanceof UpstreamError ? error.status : null;
        const again = attempt < retries && !signal.aborted;
        if (!again || !isRetryable({ error, status, channelType: channel.type })) throw error;
      }
    }
  }

  private choose(admission: Admission, attempt: number, used: readonly number[]): RoutedChannel {
    if (admission.pinned) return admission.pinned;
    const { channels, keyRing } = this.parts;
    const picked = pickChannel({
      candidates: admission.candidates,
      attempt,
      used: new Set(used),
      enabled: (channel) => channels.table.channel(channel.id)?.enabled === true,
      available: (channel) => keyRing.available(channel),
    });
    if (!picked) throw noChannel(admission.model, admission.group);
    return picked;
  }

  private learn(requestId: string, channel: RoutedChannel, keyIndex: number, error: unknown): void {
    const { keyRing, logger } = this.parts;
    logger.warn({ requestId, channelId: channel.id, err: isAppError(error) ? error.code : error }, 'no session');
    if (error instanceof UpstreamConnectionError) keyRing.unreachable(channel, keyIndex);
    else if (error instanceof UpstreamError) keyRing.reached(channel, keyIndex);
    else keyRing.undecided(channel, keyIndex);
  }
}
