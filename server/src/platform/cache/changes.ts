import { changeKinds, changesChannel, type Change, type SharedState } from './shared-state.js';

/**
 * Announces changes to every node and calls the handlers that cache them. Handlers only drop or reload caches, so a
 * lost or repeated announcement does no harm. Caches also expire after SYNC_FREQUENCY.
 */
export class Changes {
  private readonly handlers = new Map<Change['kind'], Array<(change: Change) => unknown>>();

  constructor(private readonly state: SharedState) {}

  /**
   * Announces changes. Call it after the commit. Never throws: a cache that misses a change expires.
   * @returns a promise that resolves when this node's own caches are up to date
   */
  async announce(...changes: Change[]): Promise<void> {
    // This node handles the changes immediately. The other nodes get them through the shared state, which also reaches
    // this node a second time without harm.
    const here = Promise.all(changes.map((change) => this.dispatch(change)));
    try {
      for (const change of changes) await this.state.publish(changesChannel, JSON.stringify(change));
    } catch {
      // The store is unavailable. Every node reads again after SYNC_FREQUENCY.
    }
    await here;
  }

  /** @param handler may return a promise that resolves when its cache is up to date */
  on(kind: Change['kind'], handler: (change: Change) => unknown): void {
    this.handlers.set(kind, [...(this.handlers.get(kind) ?? []), handler]);
  }

  /** @returns a function that stops listening */
  async listen(): Promise<() => Promise<void>> {
    // Announcements may have been missed, so every cache is dropped.
    this.state.onGap(() => {
      for (const kind of changeKinds) void this.dispatch({ kind });
    });
    return this.state.subscribe(changesChannel, (message) => void this.dispatch(JSON.parse(message) as Change));
  }

  /** Runs the handlers immediately. Never rejects. */
  private async dispatch(change: Change): Promise<void> {
    const handlers = this.handlers.get(change.kind) ?? [];
    await Promise.allSettled(handlers.map(async (handler) => handler(change)));
  }
}
