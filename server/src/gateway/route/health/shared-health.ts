import type { SharedState } from '../../../platform/cache/shared-state.js';
import type { Logger } from '../../../platform/observability/logger.js';
import { secondsIn, type Clock } from '../../../shared/clock.js';
import { randomAlphanumeric } from '../../../shared/ids.js';
import type { Health } from './health.js';
import type { HealthLink } from './known-cooldowns.js';
import { toEndedCooldown, toCooldown, type EndedCooldown, type Cooldown } from './cooldown.js';

const topic = 'health';
/** Seconds. A claim of a trial lasts as long as a node would wait for its result. */
const claimSeconds = 60;
/** Seconds. Cooldowns are stored this much longer than they last; cooldowns without an end are stored for this time. */
const storeExtra = 300;
const longestStore = 31 * 86_400;
/** Milliseconds between two searches for cooldowns that expired long ago. */
const pruneEvery = 60_000;

type Message = { readonly node: string } & ({ readonly cooldown: unknown } | { readonly ended: unknown });

export interface SharedHealthDeps {
  readonly health: Health;
  readonly state: Pick<SharedState, 'get' | 'set' | 'delete' | 'once' | 'publish' | 'subscribe' | 'onGap' | 'ping'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called when the cooldowns of a channel changed, at this node or another. */
  readonly changed: (channelId: number) => void;
}

/**
 * Sends the cooldowns of keys to other nodes, and restores them after a restart if the shared state outlives it. Every
 * node decides by its own copy, so an unavailable store changes no decision.
 */
export class SharedHealth implements HealthLink {
  private readonly node = randomAlphanumeric(12);
  private readonly toStore = new Set<number>();
  private storing: Promise<void> | null = null;
  private timer: NodeJS.Timeout | null = null;
  private unsubscribe: (() => Promise<void>) | null = null;

  constructor(private readonly deps: SharedHealthDeps) {
    deps.health.known.link = this;
  }

  /** @param channelIds returns the channels whose stored cooldowns are read */
  async start(channelIds: () => readonly number[]): Promise<void> {
    const { state, health } = this.deps;
    this.unsubscribe = await state.subscribe(topic, (text) => this.receive(JSON.parse(text) as Message));
    state.onGap(() => void this.catchUp(channelIds()));
    this.timer = setInterval(() => health.prune(), pruneEvery);
    this.timer.unref();
    await this.read(channelIds());
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.unsubscribe?.();
    await this.storing;
  }

  /** See `HealthLink`. */
  changed(now: Cooldown | EndedCooldown): void {
    this.announce(now);
    this.store(now.channelId);
    this.deps.changed(now.channelId);
  }

  /** See `HealthLink`. If the store does not respond the claim succeeds: two trials do less harm than none. */
  async claim(name: string): Promise<boolean> {
    return (await this.attempt(() => this.deps.state.once(claimKey(name), claimSeconds))) ?? true;
  }

  giveBack(name: string): void {
    void this.attempt(() => this.deps.state.delete(claimKey(name)));
  }

  private announce(now: Cooldown | EndedCooldown): void {
    const said = 'endedAt' in now ? { ended: now } : { cooldown: now };
    void this.attempt(() => this.deps.state.publish(topic, JSON.stringify({ node: this.node, ...said })));
  }

  private receive(message: Message): void {
    if (message.node === this.node) return;
    const channelId = this.learn('cooldown' in message ? message.cooldown : message.ended);
    if (channelId !== null) this.deps.changed(channelId);
  }

  /** @returns the channel whose health changed; null when nothing changed */
  private learn(value: unknown): number | null {
    const { health } = this.deps;
    const [cooldown, ending] = [toCooldown(value), toEndedCooldown(value)];
    if (cooldown && health.known.learn(cooldown)) return cooldown.channelId;
    return ending && health.known.learnEnd(ending) ? ending.channelId : null;
  }

  /** Exchanges the cooldowns after messages were missed in both directions. */
  private async catchUp(channelIds: readonly number[]): Promise<void> {
    const { state, health } = this.deps;
    // Calls may use this node's memory for a second after messages arrive again.
    await state.ping();
    await this.read(channelIds);
    for (const id of health.known.channelIds) {
      for (const one of [...health.known.endedOf(id), ...health.of(id)]) this.announce(one);
      this.store(id);
    }
  }

  private async read(channelIds: readonly number[]): Promise<void> {
    await Promise.all(
      channelIds.map(async (id) => {
        const text = await this.attempt(() => this.deps.state.get(storeKey(id)));
        if (!text) return;
        const news = (JSON.parse(text) as unknown[]).filter((one) => this.learn(one) !== null);
        if (news.length > 0) this.deps.changed(id);
      }),
    );
  }

  /** Stores the cooldowns of a channel. Many changes at once are stored once. */
  private store(channelId: number): void {
    this.toStore.add(channelId);
    this.storing ??= this.storeAll().finally(() => (this.storing = null));
  }

  private async storeAll(): Promise<void> {
    const { state, health, clock } = this.deps;
    // Calls that fail together change the health in the same turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    for (const id of this.toStore) {
      this.toStore.delete(id);
      const cooldowns = [...health.of(id), ...health.known.endedOf(id)];
      const left = secondsIn(Math.max(0, ...cooldowns.map(({ until }) => until)) - clock.now());
      await this.attempt(() =>
        cooldowns.length === 0
          ? state.delete(storeKey(id))
          : state.set(storeKey(id), JSON.stringify(cooldowns), Math.min(Math.max(0, left) + storeExtra, longestStore)),
      );
    }
  }

  private async attempt<T>(run: () => Promise<T>): Promise<T | null> {
    try {
      return await run();
    } catch (error) {
      this.deps.logger.debug({ err: error }, 'health of keys could not be shared');
      return null;
    }
  }
}

const storeKey = (channelId: number): string => `health:${channelId}`;
const claimKey = (name: string): string => `health:trial:${name}`;
