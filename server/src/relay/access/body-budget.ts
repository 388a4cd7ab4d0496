import { getHeapStatistics } from 'node:v8';
import { AppError } from '../../shared/errors.js';

export interface BodyBudgetLimits {
  /** Bytes of all bodies that this node holds at once. */
  readonly node: number;
  /** Bytes of the bodies of one user that this node holds at once. */
  readonly user: number;
}

/** A quarter of the heap, since a body lives as bytes and, parsed, as text; always room for one body of the largest size. */
export function bodyBudgetFor(maxBodyBytes: number): BodyBudgetLimits {
  const node = Math.max(getHeapStatistics().heap_size_limit / 4, maxBodyBytes * 1.25);
  return { node, user: Math.max(node / 2, maxBodyBytes * 1.25) };
}

/** Bodies up to this size are not counted: limits of calls in flight bound them, and no large upload can crowd them out. */
const uncountedBytes = 256 * 1024;

/** How many bytes of request bodies this node holds: while they are read, unpacked, parsed and sent upstream. */
export class BodyBudget {
  private readonly users = new Map<number, number>();
  private held = 0;

  constructor(private readonly limits: BodyBudgetLimits) {}

  /** Bytes held now, for metrics. */
  get bytes(): number {
    return this.held;
  }

  /** One grant a call; release it when the call ends. */
  open(userId: number): BodyGrant {
    return new BodyGrant(this, userId);
  }

  /** @throws AppError RATE_LIMITED (this user), SERVICE_UNAVAILABLE (this node): both may work in a moment */
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

  giveBack(userId: number, bytes: number): void {
    this.held -= bytes;
    const left = (this.users.get(userId) ?? 0) - bytes;
    if (left > 0) this.users.set(userId, left);
    else this.users.delete(userId);
  }
}

/** What one call holds of the budget. */
export class BodyGrant {
  private needed = 0;
  private taken = 0;

  constructor(
    private readonly budget: BodyBudget,
    private readonly userId: number,
  ) {}

  /** The call holds so many bytes more. @throws AppError RATE_LIMITED, SERVICE_UNAVAILABLE */
  grow(bytes: number): void {
    this.needed += bytes;
    if (this.needed <= uncountedBytes || this.needed <= this.taken) return;
    this.budget.take(this.userId, this.needed - this.taken);
    this.taken = this.needed;
  }

  /** Gives everything back; harmless when called again. */
  release(): void {
    if (this.taken > 0) this.budget.giveBack(this.userId, this.taken);
    this.needed = 0;
    this.taken = 0;
  }
}
