import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { ConfigError } from '../config.js';
import { createRedisClients, type RedisClients, type RedisConfig } from './redis-client.js';
import type { HitResult, SlotClaim, SharedState } from './shared-state.js';
import type { CountClaim, WindowCount } from './sliding-count.js';
import { Subscriptions } from './subscriptions.js';
import { millisecondsIn, secondsIn } from '../../shared/clock.js';

/** The prefix that separates this site's keys and channels from others in the same Redis. */
const defaultPrefix = 'tollgate:';
/** Milliseconds that a start or a subscription waits for an unavailable Redis. */
const patience = 2000;

/**
 * Shared state in Redis: one server, Sentinel or Cluster. Failures are fast and thrown; `ResilientState` handles them.
 */
export class RedisState implements SharedState {
  private readonly clients: RedisClients;
  private readonly subscriptions: Subscriptions;
  private readonly prefix: string;
  private wasSubscribed = false;
  private isConnecting = false;
  private refusal: ConfigError | null = null;

  /** @param report called with errors of subscribers and lost connections */
  constructor(
    config: RedisConfig,
    private readonly report: (error: unknown) => void,
  ) {
    this.prefix = config.prefix ?? defaultPrefix;
    this.clients = createRedisClients(config);
    this.subscriptions = new Subscriptions(report);
    const { commands, subscriber } = this.clients;
    for (const client of new Set([commands, subscriber])) client.on('error', (error) => this.failed(error));
    subscriber.on('message', (channel: string, message: string) =>
      this.subscriptions.deliver(channel.slice(this.prefix.length), message),
    );
    subscriber.on('ready', () => {
      if (this.wasSubscribed) this.subscriptions.reportGap();
    });
  }

  /**
   * Waits a short time for the first connection. An unavailable Redis is retried in the background.
   * @returns whether Redis is connected
   * @throws ConfigError when Redis refuses the user, the password or the database of its URL
   */
  async connect(): Promise<boolean> {
    const { commands, subscriber } = this.clients;
    const connections = [...new Set([commands, subscriber])].map((client) => client.connect());
    const connected = Promise.all(connections).then(
      () => true,
      () => false,
    );
    this.isConnecting = true;
    const isConnected = await within(patience, connected, false);
    this.isConnecting = false;
    if (!isConnected && this.refusal) throw this.refusal;
    if (isConnected) await this.assertDatabase();
    return isConnected;
  }

  /**
   * Handles a failed connection. A password that is changed later is an outage: the server keeps running and retries.
   */
  private failed(error: unknown): void {
    const refusal = this.isConnecting ? refusalOf(error) : null;
    if (refusal) this.refusal = refusal;
    else this.report(error);
  }

  /**
   * Checks the database. The client reports a refused database and continues in database 0, which may be that of
   * another program.
   */
  private async assertDatabase(): Promise<void> {
    const { commands } = this.clients;
    const number = commands instanceof Redis ? (commands.options.db ?? 0) : 0;
    if (number === 0) return;
    try {
      await commands.select(number);
    } catch (error) {
      const { name, message } = error as Error;
      if (name === 'ReplyError') throw new ConfigError([`REDIS_URL: Redis refuses database ${number} (${message})`]);
    }
  }

  get(key: string): Promise<string | null> {
    return this.clients.commands.get(this.prefix + key);
  }

  async set(key: string, value: string, ttlSeconds: number): Promise<void> {
    await this.clients.commands.set(this.prefix + key, value, 'PX', milliseconds(ttlSeconds));
  }

  take(key: string): Promise<string | null> {
    return this.clients.commands.getdel(this.prefix + key);
  }

  async delete(key: string): Promise<void> {
    await this.clients.commands.del(this.prefix + key);
  }

  async once(key: string, ttlSeconds: number): Promise<boolean> {
    return (await this.clients.commands.set(this.prefix + key, '1', 'PX', milliseconds(ttlSeconds), 'NX')) === 'OK';
  }

  incrementBy(key: string, amount: number, ttlSeconds: number): Promise<number> {
    return this.clients.commands.tollgateIncrement(this.prefix + key, amount, milliseconds(ttlSeconds));
  }

  hit(key: string, limit: number, windowSeconds: number): Promise<HitResult> {
    return this.look(key, limit, windowSeconds, 1);
  }

  peek(key: string, limit: number, windowSeconds: number): Promise<HitResult> {
    return this.look(key, limit, windowSeconds, 0);
  }

  async count(key: string, { second, window, amount, limit, alone }: CountClaim): Promise<WindowCount> {
    const { commands } = this.clients;
    const [admitted, sum, at, freeAt] = await commands.tollgateCount(
      ...([this.prefix + key, second, window, amount, limit, alone ? 1 : 0] as const),
    );
    return { admitted: admitted === 1, sum, second: at, freeAt };
  }

  async recount(key: string, second: number, amount: number): Promise<void> {
    await this.clients.commands.tollgateRecount(this.prefix + key, second, amount);
  }

  async publish(channel: string, message: string): Promise<void> {
    await this.clients.commands.publish(this.prefix + channel, message);
  }

  async subscribe(channel: string, handler: (message: string) => void): Promise<() => Promise<void>> {
    this.subscriptions.add(channel, handler);
    const subscribed = this.clients.subscriber.subscribe(this.prefix + channel).then(
      () => (this.wasSubscribed = true),
      () => false, // The connection ended for good, or closed before it was open.
    );
    await within(patience, subscribed, false);
    return async () => {
      if (!this.subscriptions.remove(channel, handler)) return;
      const unsubscribed = this.clients.subscriber.unsubscribe(this.prefix + channel).catch(() => undefined);
      // Without a connection there is nothing to wait for. The client will not renew the subscription.
      if (this.clients.subscriber.status === 'ready') await within(patience, unsubscribed, undefined);
    };
  }

  onGap(handler: () => void): void {
    this.subscriptions.onGap(handler);
  }

  async lease(name: string, owner: string, ttlSeconds: number): Promise<boolean> {
    return (await this.clients.commands.tollgateLease(this.leaseKey(name), owner, milliseconds(ttlSeconds))) === 1;
  }

  async release(name: string, owner: string): Promise<void> {
    await this.clients.commands.tollgateRelease(this.leaseKey(name), owner);
  }

  leaseSlots(key: string, { owner, used, wanted, limit, ttlSeconds }: SlotClaim): Promise<number> {
    const lifetime = milliseconds(ttlSeconds);
    return this.clients.commands.tollgatePlaces(this.prefix + key, owner, used, wanted, limit, lifetime);
  }

  async ping(): Promise<boolean> {
    try {
      return (await this.clients.commands.ping()) === 'PONG';
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    // `disconnect` is used, not `quit`: nothing important is in flight, and an unresponsive Redis must not delay the
    // stop.
    for (const client of new Set([this.clients.commands, this.clients.subscriber])) client.disconnect();
  }

  private leaseKey(name: string): string {
    return `${this.prefix}lease:${name}`;
  }

  private async look(key: string, limit: number, windowSeconds: number, record: 0 | 1): Promise<HitResult> {
    if (limit <= 0) return { allowed: true, retryAfterSeconds: 0 };
    const wait = await this.clients.commands.tollgateHit(this.prefix + key, limit, milliseconds(windowSeconds), record);
    return { allowed: wait === 0, retryAfterSeconds: Math.ceil(secondsIn(wait)) };
  }
}

const milliseconds = (seconds: number): number => Math.max(1, Math.ceil(millisecondsIn(seconds)));

/** Returns the promise's value, or `otherwise` after the timeout. */
async function within<T>(limit: number, promise: Promise<T>, otherwise: T): Promise<T> {
  const timer = new AbortController();
  const timeout = delay(limit, otherwise, { signal: timer.signal }).catch(() => otherwise);
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    timer.abort();
  }
}

/** Returns the error for the operator when Redis refuses the credentials; null for every other error. */
function refusalOf(error: unknown): ConfigError | null {
  // For a Cluster whose nodes all failed, this is the error of the last one.
  const { message } = (error as { lastNodeError?: Error | null }).lastNodeError ?? (error as Error);
  if (message.startsWith('NOAUTH')) return new ConfigError(['REDIS_URL: Redis needs a password (NOAUTH)']);
  if (!message.startsWith('WRONGPASS')) return null;
  return new ConfigError(['REDIS_URL: Redis refuses the user name or the password (WRONGPASS)']);
}
