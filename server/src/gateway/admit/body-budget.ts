import { isAscii } from 'node:buffer';
import { getHeapStatistics } from 'node:v8';
import { AppError } from '../../shared/errors.js';
import { hold, letGo, share } from '../../shared/held-bytes.js';
import { ByteRate } from './byte-rate.js';

interface BodyBudgetLimits {
  /** Maximum bytes of all bodies that this node holds at once. */
  readonly node: number;
  /** Maximum bytes of the bodies of one user that this node holds at once. */
  readonly user: number;
}

/**
 * While a body is read, parsed and sent it takes four times its size: with the default of 192 MB, three of 63 MB stay
 * below 1 GB with the server. A quarter of the heap at most, because a body exists as bytes and, once parsed, as text;
 * always enough for one body of the maximum size, which counts twice when its text is not ASCII.
 * @param bytes REQUEST_BODIES_MB, in bytes
 */
export function bodyBudgetFor(
  bytes: number,
  maxBodyBytes: number,
  heapBytes: number = getHeapStatistics().heap_size_limit,
): BodyBudgetLimits {
  const one = maxBodyBytes * 2;
  const node = Math.max(Math.min(heapBytes / 4, bytes), one);
  return { node, user: Math.max(node / 2, one) };
}

/**
 * Bodies up to this size are not counted: the limits of calls in flight bound them, and large uploads cannot displace
 * them.
 */
const uncountedBytes = 256 * 1024;

/** Bytes of one body. Larger ones are rare: most of them are images. */
const largeBytes = 4 * 1024 * 1024;
/** Bytes of large bodies that ended, after which their garbage is collected: V8's own limit for buffers. */
const collectedBytes = 64 * 1024 * 1024;

/**
 * A call whose response has begun holds the bytes of its body, and no parsed form of them: a quarter of the memory that
 * one byte takes before.
 */
const sentShare = 0.25;

/**
 * Counts the bytes of request bodies that this node holds: while they are read, decompressed, parsed and sent to the
 * provider, and less of them while the response arrives.
 */
export class BodyBudget {
  private readonly users = new Map<number, number>();
  private readonly frames = new ByteRate();
  private held = 0;
  /** Bytes of large bodies that ended since their garbage was collected. */
  private ended = 0;

  /** @param collect collects garbage */
  constructor(
    private readonly limits: BodyBudgetLimits,
    private readonly collect: () => void = () => undefined,
  ) {}

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

  /**
   * Counts the bytes of WebSocket frames.
   * @returns milliseconds in which nothing more is to be read from the user's sockets
   */
  delayOf(userId: number, bytes: number): number {
    return this.frames.delay(userId, bytes);
  }

  /** Returns bytes to the budget. */
  giveBack(userId: number, bytes: number): void {
    this.held -= bytes;
    const left = (this.users.get(userId) ?? 0) - bytes;
    if (left > 0) this.users.set(userId, left);
    else this.users.delete(userId);
    if (bytes > largeBytes) this.ended += bytes;
    if (this.ended < collectedBytes) return;
    this.ended = 0;
    this.collect();
  }
}

/** The bytes that one call holds. */
export class BodyGrant {
  private needed = 0;
  private taken = 0;
  private body: Buffer | null = null;

  constructor(
    private readonly budget: BodyBudget,
    private readonly userId: number,
  ) {}

  /**
   * Adds bytes to the bytes that the call holds.
   * @throws AppError RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  grow(bytes: number): void {
    this.needed += bytes;
    if (this.needed <= uncountedBytes || this.needed <= this.taken) return;
    this.budget.take(this.userId, this.needed - this.taken);
    this.taken = this.needed;
  }

  /**
   * Counts a large body a second time if its text is not ASCII: one such character makes V8 keep two bytes for each.
   * @returns whether it counts a second time
   * @throws AppError RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  growByText(body: Buffer): boolean {
    const isDoubled = this.taken > 0 && !isAscii(body);
    if (isDoubled) this.grow(body.length);
    return isDoubled;
  }

  /**
   * Counts bytes of a WebSocket.
   * @returns milliseconds in which nothing more is to be read from the socket; usually 0
   */
  delay(bytes: number): number {
    return this.budget.delayOf(this.userId, bytes);
  }

  /** Whether the body is so large that its bytes count. */
  get isCounted(): boolean {
    return this.taken > 0;
  }

  /**
   * Gives back what a body no longer takes when its call is sent.
   * @param bytes what the call still holds
   */
  sent(bytes: number): void {
    const rest = Math.min(this.taken, Math.ceil(bytes * sentShare));
    if (this.taken > rest) this.budget.giveBack(this.userId, this.taken - rest);
    this.taken = rest;
    this.needed = rest;
  }

  /** Holds the body of the call, which is freed with the call if nothing else holds it. */
  holdBody(bytes: Buffer): void {
    this.body = bytes;
    hold(bytes);
  }

  /**
   * Holds the body for something that reads it after the end of the call.
   * @returns a function that lets go of it
   */
  keepBody(): () => void {
    const { body } = this;
    if (!body) return () => undefined;
    share(body);
    return () => letGo(body);
  }

  /** Returns all bytes of the call. May be called repeatedly. */
  release(): void {
    if (this.body) letGo(this.body);
    this.body = null;
    if (this.taken > 0) this.budget.giveBack(this.userId, this.taken);
    this.needed = 0;
    this.taken = 0;
  }
}
