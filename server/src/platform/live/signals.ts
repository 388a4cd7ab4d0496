import type { SharedState } from '../cache/shared-state.js';
import type { Clock } from '../../shared/clock.js';

/**
 * `log`: rows were written. `balance`: balances of these users changed. `channel`: statistics of these channels
 * changed, which do not affect routing.
 */
export const signalKinds = ['log', 'balance', 'channel'] as const;
export type SignalKind = (typeof signalKinds)[number];

/** @param ids changed ids; null: unknown or too many */
type Handler = (ids: readonly number[] | null) => void;

const topic = 'tollgate:signals';
/**
 * Milliseconds for which a node assumes that another node has subscribers. That node repeats its message at this
 * interval.
 */
const wantedMilliseconds = 15_000;
const sayEvery = 5_000;
/** Milliseconds within which signals share one message. */
const gatherMilliseconds = 100;
const maxIds = 1000;

type Message = { readonly wanted: true } | Partial<Record<SignalKind, readonly number[] | null>>;

/**
 * Signals changes to every node, for open consoles. A lost signal only delays an update. Sending returns at once, and
 * nothing is sent while no node has subscribers.
 */
export class Signals {
  private readonly handlers = new Map<SignalKind, Handler[]>();
  private gathered = new Map<SignalKind, Set<number> | null>();
  private timer: NodeJS.Timeout | null = null;
  /** Unix milliseconds until which some node is known to have subscribers; 0 before any had. */
  wantedUntil = 0;
  private watchers = 0;
  private saying: NodeJS.Timeout | null = null;

  constructor(
    private readonly state: SharedState,
    private readonly clock: Clock,
  ) {}

  /** Whether any node has subscribers. Costs one clock read. */
  get wanted(): boolean {
    return this.clock.now() < this.wantedUntil;
  }

  /** @returns a function that stops listening */
  async listen(): Promise<() => Promise<void>> {
    // Signals may have been missed, so every subscriber gets the message that unknown rows changed.
    this.state.onGap(() => {
      for (const kind of signalKinds) this.dispatch(kind, null);
    });
    const end = await this.state.subscribe(topic, (text) => this.deliver(JSON.parse(text) as Message));
    return async () => {
      if (this.timer) clearTimeout(this.timer);
      if (this.saying) clearInterval(this.saying);
      await end();
    };
  }

  on(kind: SignalKind, handler: Handler): void {
    this.handlers.set(kind, [...(this.handlers.get(kind) ?? []), handler]);
  }

  /** Returns at once. Signals of the same moment share a message. */
  send(kind: SignalKind, ids: Iterable<number> = []): void {
    if (!this.wanted) return;
    const known = this.gathered.get(kind);
    if (known !== null) {
      const all = known ?? new Set();
      for (const id of ids) all.add(id);
      this.gathered.set(kind, all.size > maxIds ? null : all);
    }
    this.timer ??= setTimeout(() => this.flush(), gatherMilliseconds);
  }

  /**
   * Registers a subscriber of this node. Signals arrive until the returned function is called.
   * @returns a promise that resolves when the other nodes know it
   */
  async watch(): Promise<() => void> {
    this.watchers++;
    this.saying ??= setInterval(() => void this.sayWanted(), sayEvery);
    let ended = false;
    const end = (): void => {
      if (ended) return;
      ended = true;
      this.watchers--;
      if (this.watchers > 0 || !this.saying) return;
      clearInterval(this.saying);
      this.saying = null;
    };
    await this.sayWanted();
    return end;
  }

  private async sayWanted(): Promise<void> {
    this.wantedUntil = this.clock.now() + wantedMilliseconds;
    await this.publish({ wanted: true });
  }

  private flush(): void {
    this.timer = null;
    const message = Object.fromEntries([...this.gathered].map(([kind, ids]) => [kind, ids && [...ids]]));
    this.gathered = new Map();
    void this.publish(message);
  }

  private async publish(message: Message): Promise<void> {
    try {
      await this.state.publish(topic, JSON.stringify(message));
    } catch {
      // The store is unavailable. Subscribers poll at their interval.
    }
  }

  private deliver(message: Message): void {
    if ('wanted' in message) {
      this.wantedUntil = this.clock.now() + wantedMilliseconds;
      return;
    }
    for (const kind of signalKinds) {
      const ids = message[kind];
      if (ids !== undefined) this.dispatch(kind, ids);
    }
  }

  private dispatch(kind: SignalKind, ids: readonly number[] | null): void {
    for (const handler of this.handlers.get(kind) ?? []) handler(ids);
  }
}
