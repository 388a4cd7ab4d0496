import { getHeapStatistics } from 'node:v8';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SharedState } from '../../platform/cache/shared-state.js';
import type { OptionValues } from '../../options/option.service.js';
import type { Clock } from '../../shared/clock.js';
import { AppError, UnavailableError } from '../../shared/errors.js';
import { randomAlphanumeric } from '../../shared/ids.js';
import type { Caller } from './authentication.js';
import { ByteRate } from './byte-rate.js';

/** Options of the limits of concurrent calls. */
export interface InFlightSettings {
  readonly values: Pick<
    OptionValues,
    'ModelRequestUserInFlightLimit' | 'ModelRequestTokenInFlightLimit' | 'ModelRequestNodeInFlightLimit'
  >;
}

/** Call when the call has ended. */
type Leave = () => void;

/** Whose call it is. */
export interface InFlightCaller {
  readonly user: Pick<Caller['user'], 'id'>;
  readonly token: Pick<Caller['token'], 'id'>;
}

/** Limits the concurrent calls of a key and of a user on all nodes, and those of this node; 0 means no limit. */
export class InFlight {
  private all = 0;

  constructor(
    private readonly settings: InFlightSettings,
    private readonly places: Pick<Places, 'enter' | 'leave'>,
  ) {}

  /** Calls that this node counts now. */
  get count(): number {
    return this.all;
  }

  /**
   * Counts a call.
   * @returns a function to call when it has ended, or when its client has left; later calls of it do nothing. A promise only
   * near a limit, when other nodes' calls count
   * @throws AppError RATE_LIMITED (key, user), SERVICE_UNAVAILABLE (node)
   */
  enter({ user, token }: InFlightCaller): Leave | Promise<Leave> {
    const {
      ModelRequestUserInFlightLimit: perUser,
      ModelRequestTokenInFlightLimit: perToken,
      ModelRequestNodeInFlightLimit: perNode,
    } = this.settings.values;
    // The playground has no token.
    const ofKey = token.id === 0 ? uncounted : this.places.enter(`inflight:{t${token.id}}`, perToken);
    const enterUser = (key: Place | null): Leave | Promise<Leave> => {
      if (!key) throw tooMany(perToken, 'key');
      const ofUser = this.places.enter(`inflight:{u${user.id}}`, perUser);
      const enterNode = (own: Place | null): Leave => this.enterNode(key, own, perUser, perNode);
      return ofUser instanceof Promise ? ofUser.then(enterNode) : enterNode(ofUser);
    };
    return ofKey instanceof Promise ? ofKey.then(enterUser) : enterUser(ofKey);
  }

  private enterNode(key: Place, user: Place | null, perUser: number, perNode: number): Leave {
    if (!user || (perNode > 0 && this.all >= perNode)) {
      if (key !== uncounted) this.places.leave(key);
      if (!user) throw tooMany(perUser, 'user');
      this.places.leave(user);
      throw new UnavailableError('The server has too many calls in flight, try again shortly');
    }
    this.all++;
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.all--;
      if (key !== uncounted) this.places.leave(key);
      this.places.leave(user);
    };
  }
}

const uncounted: Place = { name: '' };

const tooMany = (max: number, whose: string): AppError =>
  new AppError('RATE_LIMITED', `Too many calls at once: at most ${max} of this ${whose}`, { retryAfterSeconds: 1 });

interface BodyBudgetLimits {
  /** Maximum bytes of all bodies that this node holds at once. */
  readonly node: number;
  /** Maximum bytes of the bodies of one user that this node holds at once. */
  readonly user: number;
}

/** While a body is read, parsed and sent it takes four times its size: three of 63 MB stay below 1 GB with the server. */
const usualBudget = 192 * 1024 * 1024;
/** Room for a form of the maximum size, which is larger than that of other bodies. */
const roomForOne = 1.6;

/**
 * A quarter of the heap, because a body exists as bytes and, once parsed, as text, up to `usualBudget` or a 32nd of a
 * larger heap; always enough for one body of the maximum size.
 */
export function bodyBudgetFor(
  maxBodyBytes: number,
  heapBytes: number = getHeapStatistics().heap_size_limit,
): BodyBudgetLimits {
  const share = Math.min(heapBytes / 4, Math.max(usualBudget, heapBytes / 32));
  const one = maxBodyBytes * roomForOne;
  const node = Math.max(share, one);
  return { node, user: Math.max(node / 2, one) };
}

/**
 * Bodies up to this size are not counted: the limits of calls in flight bound them, and large uploads cannot displace
 * them.
 */
const uncountedBytes = 256 * 1024;

/**
 * Counts the bytes of request bodies that this node holds: while they are read, decompressed, parsed and sent to the
 * provider.
 */
export class BodyBudget {
  private readonly users = new Map<number, number>();
  private readonly frames = new ByteRate();
  private held = 0;

  constructor(private readonly limits: BodyBudgetLimits) {}

  /** Bytes held now, for metrics. */
  get bytes(): number {
    return this.held;
  }

  /** One grant per call; release it when the call ends. */
  open(userId: number): BodyGrant {
    return new BodyGrant(this, userId);
  }

  /** @throws AppError RATE_LIMITED (this user), SERVICE_UNAVAILABLE (this node): a retry may succeed shortly */
  take(userId: number, bytes: number): void {
    const ofUser = this.users.get(userId) ?? 0;
    if (ofUser + bytes > this.limits.user) {
      throw new AppError('RATE_LIMITED', 'Too many large requests at once, wait for the others to finish', {
        retryAfterSeconds: 1,
      });
    }
    if (this.held + bytes > this.limits.node) {
      throw new AppError('SERVICE_UNAVAILABLE', 'The server holds too many large requests, try again shortly', {
        retryAfterSeconds: 2,
      });
    }
    this.held += bytes;
    this.users.set(userId, ofUser + bytes);
  }

  /** Counts bytes of frames. @returns milliseconds in which the user's sockets are not to be read further */
  delayOf(userId: number, bytes: number): number {
    return this.frames.delay(userId, bytes);
  }

  /** Returns bytes to the budget. */
  giveBack(userId: number, bytes: number): void {
    this.held -= bytes;
    const left = (this.users.get(userId) ?? 0) - bytes;
    if (left > 0) this.users.set(userId, left);
    else this.users.delete(userId);
  }
}

/** The bytes that one call holds. */
export class BodyGrant {
  private needed = 0;
  private taken = 0;

  constructor(
    private readonly budget: BodyBudget,
    private readonly userId: number,
  ) {}

  /**
   * Adds bytes to those the call holds.
   * @throws AppError RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  grow(bytes: number): void {
    this.needed += bytes;
    if (this.needed <= uncountedBytes || this.needed <= this.taken) return;
    this.budget.take(this.userId, this.needed - this.taken);
    this.taken = this.needed;
  }

  /** Counts bytes of a WebSocket. @returns milliseconds in which it is not to be read further; usually 0 */
  delay(bytes: number): number {
    return this.budget.delayOf(this.userId, bytes);
  }

  /** Returns all bytes of the call. May be called repeatedly. */
  release(): void {
    if (this.taken > 0) this.budget.giveBack(this.userId, this.taken);
    this.needed = 0;
    this.taken = 0;
  }
}

/** The shared state that leases places to nodes. */
export type PlaceLink = Pick<SharedState, 'leasePlaces' | 'publish' | 'subscribe'>;

/** A counted call. Give it to `leave` once. */
export interface Place {
  readonly name: string;
}

interface Scope extends Place {
  limit: number;
  /** Calls in progress on this node. */
  used: number;
  /** Places that this node has of all nodes' limit. */
  leased: number;
  /** Most calls at once since the last renewal. */
  peak: number;
  /** A claim is on its way. */
  claiming: boolean;
  /** Places were freed while a claim was on its way. */
  outdated: boolean;
  readonly waiting: Array<(entered: boolean) => void>;
  /** Until then idle places are given back at once. Unix milliseconds. */
  scarceUntil: number;
}

const topic = 'places';
/** The places of a node that died are free after this time. */
const leaseSeconds = 10;
/** Between renewals, and until a node that lost Redis and found it again has declared its calls. Milliseconds. */
const renewEvery = 3000;
/** How long idle places are given back at once after a limit was met. Milliseconds. */
const scarceTime = 10_000;
/** In which other nodes give back idle places when a limit is met. Milliseconds. */
const giveBackTime = 25;
/** Places that are leased in advance: this part of the limit. */
const advancePart = 32;
const maxAdvance = 16;

/**
 * Counts concurrent calls under limits that hold over all nodes (docs/reference/relay/access.md#concurrent-calls). A node
 * leases places from the shared state, keeps as many as it lately used, and serves calls from them without a request. Far
 * below a limit a call waits for nothing. Near it each call asks, and idle places go back at once. With one node nothing is
 * leased.
 */
export class Places {
  private readonly scopes = new Map<string, Scope>();
  private readonly node = randomAlphanumeric(12);
  private timer: NodeJS.Timeout | null = null;
  private unsubscribe: (() => Promise<void>) | null = null;
  private readonly claims = new Set<Promise<void>>();

  /** @param link null: this is the only node */
  constructor(
    private readonly link: PlaceLink | null,
    private readonly clock: Clock,
  ) {}

  async start(): Promise<void> {
    if (!this.link) return;
    this.unsubscribe = await this.link.subscribe(topic, (text) => this.giveBack(text));
    this.timer = setInterval(() => this.renew(), renewEvery);
    this.timer.unref();
  }

  /** Gives back every idle place. */
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
   * @param limit of concurrent calls on all nodes; 0: counted, never refused
   * @returns null at the limit; a promise only when the shared state is asked
   */
  enter(name: string, limit: number): Place | null | Promise<Place | null> {
    const scope = this.scopeOf(name);
    scope.limit = limit;
    const places = limit === 0 ? Infinity : this.link ? scope.leased : limit;
    if (scope.used < places) {
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

  /** The call is over. */
  leave(place: Place): void {
    const scope = place as Scope;
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

  /** Declares the scope to the shared state, once at a time. */
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
      // Other nodes give back what they do not use. While they do so anyway, nothing more will come.
      if (known) for (const wait of scope.waiting.splice(0)) wait(false);
      else await sleep(giveBackTime);
    }
    // In the same turn as the last look: a call that waits from now on has to begin a claim.
    scope.claiming = false;
  }

  /** @returns whether calls wait that the limit has no place for */
  private async claimOnce(scope: Scope): Promise<boolean> {
    const { name: key, used, waiting, limit } = scope;
    const needed = used + waiting.length;
    const scarce = scope.scarceUntil > this.clock.now();
    const advance = waiting.length > 0 ? Math.min(Math.floor(limit / advancePart), maxAdvance) : 0;
    const wanted = Math.max(used, Math.min(limit, scarce ? needed : Math.max(needed + advance, scope.peak)));
    // Places that are given back must not be used from here on.
    scope.leased = Math.min(scope.leased, wanted);
    const claim = { owner: this.node, used, wanted, limit, ttlSeconds: leaseSeconds };
    try {
      scope.leased = (await this.link?.leasePlaces(`places:${key}`, claim)) ?? wanted;
    } catch {
      // Without the shared state the node counts alone.
      scope.leased = wanted;
    }
    while (scope.used < scope.leased && waiting.length > 0) {
      scope.used++;
      waiting.shift()?.(true);
    }
    scope.peak = Math.max(scope.peak, scope.used);
    return waiting.length > 0 && (scope.leased < wanted || wanted < needed);
  }

  /** Another node met a limit. */
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
