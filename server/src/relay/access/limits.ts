import { getHeapStatistics } from 'node:v8';
import type { SharedState } from '../../cache/shared-state.js';
import type { OptionValues } from '../../modules/options/option.service.js';
import { AppError, UnavailableError } from '../../shared/errors.js';
import type { Caller } from './authentication.js';
import type { Place, Places } from './places.js';

/** Options of the model rate limits. */
export interface RateSettings {
  readonly values: Pick<
    OptionValues,
    | 'ModelRequestRateLimitEnabled'
    | 'ModelRequestRateLimitDurationMinutes'
    | 'ModelRequestRateLimitCount'
    | 'ModelRequestRateLimitSuccessCount'
    | 'ModelRequestRateLimitGroup'
  >;
}

/** At most this many hits of `key` within any window of this many seconds; 0 means no limit. */
interface Limit {
  readonly key: string;
  readonly most: number;
  readonly windowSeconds: number;
  readonly refusal: string;
  /** Counts all calls, not only successful ones. */
  readonly countsAll: boolean;
}

/** Coding agents count before each turn, and make a few turns per second at most. */
const countsPerMinute = 240;

/**
 * Limits how often a key and a user may call models, over all nodes (docs/reference/relay/access.md#model-rate-limits):
 * one count of all calls, one of successful calls; the key's own limits are checked first. Every step is one atomic
 * step of the shared state. Refused calls are not counted.
 */
export class ModelRateLimit {
  constructor(
    private readonly state: Pick<SharedState, 'hit' | 'peek'>,
    private readonly settings: RateSettings,
  ) {}

  /** Whether any limit applies to this caller. Checked first, so that most calls wait for nothing. */
  concerns({ token }: Caller): boolean {
    return token.rateLimit !== null || this.settings.values.ModelRequestRateLimitEnabled;
  }

  /** @throws AppError RATE_LIMITED */
  async enter(caller: Caller): Promise<void> {
    const limits = this.limitsOf(caller);
    // Checked without counting first, so that a call refused by one limit is not counted by another.
    for (const limit of limits) await this.ask('peek', limit);
    for (const limit of limits) if (limit.countsAll) await this.ask('hit', limit);
  }

  /**
   * Token counting has its own limit, because it costs CPU and no quota.
   * @throws AppError RATE_LIMITED
   */
  count({ user }: Caller): Promise<void> {
    const refusal = `Request limit reached: at most ${countsPerMinute} token counts per minute`;
    return this.ask('hit', {
      ...{ key: `rate:{${user.id}}:count`, most: countsPerMinute, windowSeconds: 60, refusal, countsAll: true },
    });
  }

  /** Call after a response with a status below 400. */
  async succeeded(caller: Caller): Promise<void> {
    for (const { countsAll, key, most, windowSeconds } of this.limitsOf(caller)) {
      if (!countsAll) await this.state.hit(key, most, windowSeconds);
    }
  }

  private async ask(how: 'peek' | 'hit', { key, most, windowSeconds, refusal }: Limit): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.state[how](key, most, windowSeconds);
    if (allowed) return;
    throw new AppError('RATE_LIMITED', refusal, { retryAfterSeconds: Math.max(1, retryAfterSeconds) });
  }

  /** The limits that apply, in the order in which they are checked. */
  private limitsOf({ user, token }: Caller): Limit[] {
    const limits: Limit[] = [];
    const { rateLimit } = token;
    if (rateLimit) {
      const { periodSeconds: windowSeconds, count, success } = rateLimit;
      const shared = { windowSeconds, refusal: 'Key-level rate limit exceed.' };
      limits.push({ ...shared, key: `rate:{t${token.id}}:model:all`, most: count, countsAll: true });
      limits.push({ ...shared, key: `rate:{t${token.id}}:model:success`, most: success, countsAll: false });
    }
    const { values } = this.settings;
    if (values.ModelRequestRateLimitEnabled) {
      const minutes = Math.max(1, values.ModelRequestRateLimitDurationMinutes);
      const group = token.group || user.group || 'default';
      const [count, success] = values.ModelRequestRateLimitGroup[group] ?? [
        values.ModelRequestRateLimitCount,
        values.ModelRequestRateLimitSuccessCount,
      ];
      const windowSeconds = minutes * 60;
      const told = (most: number): string => `Request limit reached: at most ${most} requests in ${minutes} minutes`;
      limits.push({
        ...{ key: `rate:{${user.id}}:model:all`, most: count, windowSeconds, countsAll: true },
        refusal: `${told(count)}, failures included`,
      });
      limits.push({
        ...{ key: `rate:{${user.id}}:model:success`, most: success, windowSeconds, countsAll: false },
        refusal: told(success),
      });
    }
    return limits.filter(({ most }) => most > 0);
  }
}

/** Options of the limits of concurrent calls. */
export interface InFlightSettings {
  readonly values: Pick<
    OptionValues,
    'ModelRequestUserInFlightLimit' | 'ModelRequestTokenInFlightLimit' | 'ModelRequestNodeInFlightLimit'
  >;
}

/** Call when the call has ended. */
type Leave = () => void;

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
  enter({ user, token }: Caller): Leave | Promise<Leave> {
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

/**
 * A quarter of the heap, because a body exists as bytes and, once parsed, as text; always enough for one body of the
 * maximum size.
 */
export function bodyBudgetFor(maxBodyBytes: number): BodyBudgetLimits {
  const node = Math.max(getHeapStatistics().heap_size_limit / 4, maxBodyBytes * 1.25);
  return { node, user: Math.max(node / 2, maxBodyBytes * 1.25) };
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

  /** Returns all bytes of the call. May be called repeatedly. */
  release(): void {
    if (this.taken > 0) this.budget.giveBack(this.userId, this.taken);
    this.needed = 0;
    this.taken = 0;
  }
}
