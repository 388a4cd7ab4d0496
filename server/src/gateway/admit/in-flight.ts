import { setTimeout as sleep } from 'node:timers/promises';
import { raisedLimit } from '../../billing/plans/index.js';
import type { OptionValues } from '../../options/option.service.js';
import type { SharedState } from '../../platform/cache/shared-state.js';
import type { Clock } from '../../shared/clock.js';
import { AppError, UnavailableError } from '../../shared/errors.js';
import { randomAlphanumeric } from '../../shared/ids.js';
import type { Caller } from './authentication.js';
import { whenKnown } from '../../platform/cache/loader.js';

/** The options that limit concurrent calls. */
export interface InFlightSettings {
  readonly values: Pick<
    OptionValues,
    'ModelRequestUserInFlightLimit' | 'ModelRequestTokenInFlightLimit' | 'ModelRequestNodeInFlightLimit'
  >;
}

/** Ends a counted call. Call it when the call has ended. */
type Leave = () => void;

/** The user and key of a call in flight. */
export interface InFlightCaller {
  readonly user: Pick<Caller['user'], 'id' | 'plans'>;
  readonly token: Pick<Caller['token'], 'id'>;
}

/** Limits the concurrent calls of a key and of a user on all nodes, and those of this node; 0 means no limit. */
export class InFlight {
  private all = 0;

  constructor(
    private readonly settings: InFlightSettings,
    private readonly slots: Pick<ConcurrencySlots, 'enter' | 'leave'>,
  ) {}

  /** Calls that this node counts now. */
  get count(): number {
    return this.all;
  }

  /**
   * Counts a call.
   * @returns a function to call when the call has ended or its client has disconnected; repeated calls of it do
   * nothing. It is a promise only near a limit, when calls of other nodes count
   * @throws AppError RATE_LIMITED (key, user), SERVICE_UNAVAILABLE (node)
   */
  enter({ user, token }: InFlightCaller): Leave | Promise<Leave> {
    const {
      ModelRequestUserInFlightLimit: usual,
      ModelRequestTokenInFlightLimit: perToken,
      ModelRequestNodeInFlightLimit: perNode,
    } = this.settings.values;
    const perUser = user.plans.length === 0 ? usual : raisedLimit(usual, user.plans, 'maxConcurrent');
    // The playground has no token.
    const ofKey = token.id === 0 ? uncounted : this.slots.enter(`inflight:{t${token.id}}`, perToken);
    const enterUser = (key: ConcurrencySlot | null): Leave | Promise<Leave> => {
      if (!key) throw tooMany(perToken, 'key');
      const enterNode = (own: ConcurrencySlot | null): Leave => this.enterNode(key, own, perUser, perNode);
      return whenKnown(this.slots.enter(`inflight:{u${user.id}}`, perUser), enterNode);
    };
    return whenKnown(ofKey, enterUser);
  }

  private enterNode(key: ConcurrencySlot, user: ConcurrencySlot | null, perUser: number, perNode: number): Leave {
    if (!user || (perNode > 0 && this.all >= perNode)) {
      if (key !== uncounted) this.slots.leave(key);
      if (!user) throw tooMany(perUser, 'user');
      this.slots.leave(user);
      throw new UnavailableError('The server has too many calls in flight, try again shortly');
    }
    this.all++;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.all--;
      if (key !== uncounted) this.slots.leave(key);
      this.slots.leave(user);
    };
  }
}

const uncounted: ConcurrencySlot = { name: '' };

const tooMany = (max: number, whose: string): AppError =>
  new AppError('RATE_LIMITED', `Too many calls at once: at most ${max} of this ${whose}`, { retryAfterSeconds: 1 });

/** The shared state that leases slots to nodes. */
export type SlotLink = Pick<SharedState, 'leaseSlots' | 'publish' | 'subscribe'>;

/** A counted call. Give it to `leave` once. */
export interface ConcurrencySlot {
  readonly name: string;
}

interface Scope extends ConcurrencySlot {
  limit: number;
  /** Calls in progress on this node. */
  used: number;
  /** Slots of the limit that this node has leased. */
  leased: number;
  /** Most calls at once since the last renewal. */
  peak: number;
  /** A claim is on its way. */
  claiming: boolean;
  /** Slots were freed while a claim was on its way, so the claim is out of date. */
  outdated: boolean;
  readonly waiting: Array<(entered: boolean) => void>;
  /** Idle slots are given back at once until this time. Unix milliseconds. */
  scarceUntil: number;
}

const topic = 'slots';
/** Seconds. After this time the slots of a node that died are free. */
const leaseSeconds = 10;
/** Milliseconds between renewals, and until a node that reconnected to Redis has declared its calls. */
const renewEvery = 3000;
/** Milliseconds in which idle slots are given back at once after a limit was met. */
const scarceTime = 10_000;
/** Milliseconds that other nodes have to give back idle slots when a limit is met. */
const giveBackTime = 25;
/** A node leases this fraction of the limit in advance: 1/32. */
const advancePart = 32;
const maxAdvance = 16;

/**
 * Counts concurrent calls under limits that hold over all nodes (docs/reference/relay/access.md#concurrent-calls). A node
 * leases slots from the shared state, keeps as many as it lately used, and serves calls from them without a request. Far
 * below a limit a call waits for nothing. Near it each call asks, and idle slots go back at once. With one node nothing is
 * leased.
 */
export class ConcurrencySlots {
  private readonly scopes = new Map<string, Scope>();
  private readonly node = randomAlphanumeric(12);
  private timer: NodeJS.Timeout | null = null;
  private unsubscribe: (() => Promise<void>) | null = null;
  private readonly claims = new Set<Promise<void>>();

  /** @param link null when this is the only node */
  constructor(
    private readonly link: SlotLink | null,
    private readonly clock: Clock,
  ) {}

  async start(): Promise<void> {
    if (!this.link) return;
    this.unsubscribe = await this.link.subscribe(topic, (text) => this.giveBack(text));
    this.timer = setInterval(() => this.renew(), renewEvery);
    this.timer.unref();
  }

  /** Gives back every idle slot. */
  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.unsubscribe?.();
    for (const scope of this.scopes.values()) {
      scope.scarceUntil = Infinity;
      scope.peak = 0;
      if (scope.leased > scope.used) this.claim(scope);
    }
    await Promise.all(this.claims);
  }

  /**
   * Counts a call.
   * @param limit concurrent calls on all nodes; 0: the call is counted and never refused
   * @returns null at the limit; a promise only when the shared state is asked
   */
  enter(name: string, limit: number): ConcurrencySlot | null | Promise<ConcurrencySlot | null> {
    const scope = this.scopeOf(name);
    scope.limit = limit;
    const slots = limit === 0 ? Infinity : this.link ? scope.leased : limit;
    if (scope.used < slots) {
      scope.used++;
      if (scope.used > scope.peak) scope.peak = scope.used;
      return scope;
    }
    if (!this.link) return null;
    return new Promise((resolve) => {
      scope.waiting.push((entered) => resolve(entered ? scope : null));
      this.claim(scope);
    });
  }

  /** Ends a counted call. */
  leave(slot: ConcurrencySlot): void {
    const scope = slot as Scope;
    scope.used--;
    if (scope.leased > 0) {
      if (scope.scarceUntil > this.clock.now()) this.claim(scope);
    } else this.forget(scope);
  }

  private scopeOf(name: string): Scope {
    let scope = this.scopes.get(name);
    if (!scope) {
      const counts = { limit: 0, used: 0, leased: 0, peak: 0, scarceUntil: 0 };
      scope = { name, ...counts, claiming: false, outdated: false, waiting: [] };
      this.scopes.set(name, scope);
    }
    return scope;
  }

  private forget(scope: Scope): void {
    if (scope.used === 0 && scope.leased === 0 && !scope.claiming) this.scopes.delete(scope.name);
  }

  /** Declares the scope to the shared state. Only one claim runs at a time. */
  private claim(scope: Scope): void {
    scope.outdated = true;
    if (scope.claiming) return;
    scope.claiming = true;
    const running = this.claimAll(scope).finally(() => {
      this.claims.delete(running);
      this.forget(scope);
    });
    this.claims.add(running);
  }

  private async claimAll(scope: Scope): Promise<void> {
    while (scope.outdated || scope.waiting.length > 0) {
      scope.outdated = false;
      const met = await this.claimOnce(scope);
      if (!met) continue;
      const known = scope.scarceUntil > this.clock.now();
      scope.scarceUntil = this.clock.now() + scarceTime;
      void this.link?.publish(topic, JSON.stringify({ node: this.node, name: scope.name })).catch(() => undefined);
      // Other nodes give back slots that they do not use. If they have been asked already, no more slots will come.
      if (known) for (const wait of scope.waiting.splice(0)) wait(false);
      else await sleep(giveBackTime);
    }
    // `claiming` is reset without a pause after the last look at `waiting`: a later call has to begin a claim of its
    // own.
    scope.claiming = false;
  }

  /** @returns whether calls still wait because the limit has no slot for them */
  private async claimOnce(scope: Scope): Promise<boolean> {
    const { name: key, used, waiting, limit } = scope;
    const needed = used + waiting.length;
    const scarce = scope.scarceUntil > this.clock.now();
    const advance = waiting.length > 0 ? Math.min(Math.floor(limit / advancePart), maxAdvance) : 0;
    const wanted = Math.max(used, Math.min(limit, scarce ? needed : Math.max(needed + advance, scope.peak)));
    // Slots that are given back must not be used from this line on.
    scope.leased = Math.min(scope.leased, wanted);
    const claim = { owner: this.node, used, wanted, limit, ttlSeconds: leaseSeconds };
    try {
      scope.leased = (await this.link?.leaseSlots(`slots:${key}`, claim)) ?? wanted;
    } catch {
      // Without the shared state, the node counts alone.
      scope.leased = wanted;
    }
    while (scope.used < scope.leased && waiting.length > 0) {
      scope.used++;
      waiting.shift()?.(true);
    }
    scope.peak = Math.max(scope.peak, scope.used);
    return waiting.length > 0 && (scope.leased < wanted || wanted < needed);
  }

  /** Gives back idle slots, because another node met a limit. */
  private giveBack(text: string): void {
    const { node, name } = JSON.parse(text) as { node: string; name: string };
    const scope = this.scopes.get(name);
    if (!scope || node === this.node || scope.leased === 0) return;
    scope.scarceUntil = this.clock.now() + scarceTime;
    if (scope.leased > scope.used || scope.claiming) this.claim(scope);
  }

  private renew(): void {
    for (const scope of this.scopes.values()) {
      if (scope.leased === 0) continue;
      this.claim(scope);
      scope.peak = scope.used;
    }
  }
}
