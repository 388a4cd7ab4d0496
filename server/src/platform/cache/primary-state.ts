import type { HitResult, SlotClaim, SharedState } from './shared-state.js';
import type { CountClaim, WindowCount } from './sliding-count.js';
import type { StateMethod, StateRequest, StateResponse } from './state-messages.js';
import { Subscriptions } from './subscriptions.js';

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Shared state of a worker on a site without Redis: the primary process stores it, and both exchange messages. */
export class PrimaryState implements SharedState {
  private readonly waiting = new Map<number, Waiting>();
  private readonly subscriptions: Subscriptions;
  private last = 0;
  private closed = false;

  /**
   * @param send delivers to the primary, in order
   * @param report called with errors of subscribers
   */
  constructor(
    private readonly send: (request: StateRequest) => void,
    report: (error: unknown) => void,
  ) {
    this.subscriptions = new Subscriptions(report);
  }

  /** Handles a response. Call it with every message of the primary that belongs to the state. */
  receive(response: StateResponse): void {
    if (response.kind === 'published') return this.subscriptions.deliver(response.channel, response.message);
    const waiting = this.waiting.get(response.id);
    this.waiting.delete(response.id);
    if (response.kind === 'result') waiting?.resolve(response.value);
    else waiting?.reject(new Error(response.message));
  }

  get(key: string): Promise<string | null> {
    return this.ask('get', key);
  }

  set(key: string, value: string, ttlSeconds: number): Promise<void> {
    return this.ask('set', key, value, ttlSeconds);
  }

  take(key: string): Promise<string | null> {
    return this.ask('take', key);
  }

  delete(key: string): Promise<void> {
    return this.ask('delete', key);
  }

  once(key: string, ttlSeconds: number): Promise<boolean> {
    return this.ask('once', key, ttlSeconds);
  }

  incrementBy(key: string, amount: number, ttlSeconds: number): Promise<number> {
    return this.ask('incrementBy', key, amount, ttlSeconds);
  }

  hit(key: string, limit: number, windowSeconds: number): Promise<HitResult> {
    return this.ask('hit', key, limit, windowSeconds);
  }

  peek(key: string, limit: number, windowSeconds: number): Promise<HitResult> {
    return this.ask('peek', key, limit, windowSeconds);
  }

  count(key: string, claim: CountClaim): Promise<WindowCount> {
    return this.ask('count', key, claim);
  }

  recount(key: string, second: number, amount: number): Promise<void> {
    return this.ask('recount', key, second, amount);
  }

  publish(channel: string, message: string): Promise<void> {
    return this.ask('publish', channel, message);
  }

  async subscribe(channel: string, handler: (message: string) => void): Promise<() => Promise<void>> {
    // A second subscription changes nothing at the primary.
    this.subscriptions.add(channel, handler);
    this.send({ kind: 'subscribe', channel });
    return async () => {
      if (this.subscriptions.remove(channel, handler) && !this.closed) this.send({ kind: 'unsubscribe', channel });
    };
  }

  onGap(): void {
    // A worker ends with its primary, so it cannot miss messages.
  }

  lease(name: string, owner: string, ttlSeconds: number): Promise<boolean> {
    return this.ask('lease', name, owner, ttlSeconds);
  }

  release(name: string, owner: string): Promise<void> {
    return this.ask('release', name, owner);
  }

  leaseSlots(key: string, claim: SlotClaim): Promise<number> {
    return this.ask('leaseSlots', key, claim);
  }

  async ping(): Promise<boolean> {
    return !this.closed;
  }

  /** Closes the state. Requests without a response fail. */
  async close(): Promise<void> {
    this.closed = true;
    for (const { reject } of this.waiting.values()) reject(new Error('the shared state is closed'));
    this.waiting.clear();
  }

  private ask<Value>(method: StateMethod, ...parameters: unknown[]): Promise<Value> {
    if (this.closed) return Promise.reject(new Error('the shared state is closed'));
    const id = ++this.last;
    return new Promise<Value>((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as Waiting['resolve'], reject });
      this.send({ kind: 'state', id, method, parameters });
    });
  }
}
