import { changeKinds, changesChannel, type Change, type SharedState } from './shared-state.js';

/**
 * Announces what changed to every node, and calls who holds a copy of it. Handlers only ever drop or reload caches, so a
 * lost or repeated announcement does no harm; copies also age out by themselves (SYNC_FREQUENCY).
 */
export class Changes {
  private readonly handlers = new Map<Change['kind'], Array<(change: Change) => unknown>>();

  constructor(private readonly state: SharedState) {}

  /**
   * Call after the commit. Never fails the change itself: the copies age out at the latest.
   * @returns when this node's own copies are up to date, so that whoever made the change can rely on it
   */
  async announce(...changes: Change[]): Promise<void> {
    // This node at once, the others through the shared state (which also comes back here: harmless).
    const here = Promise.all(changes.map((change) => this.dispatch(change)));
    try {
      for (const change of changes) await this.state.publish(changesChannel, JSON.stringify(change));
    } catch {
      // The store is away; every node re-reads on its own clock.
    }
    await here;
  }

  /** @param handler may return a promise that resolves when its copy is up to date */
  on(kind: Change['kind'], handler: (change: Change) => unknown): void {
    this.handlers.set(kind, [...(this.handlers.get(kind) ?? []), handler]);
  }

  /** @returns a function that stops listening */
  async listen(): Promise<() => Promise<void>> {
    // Announcements were missed, nobody knows which: every copy goes.
    this.state.onGap(() => {
      for (const kind of changeKinds) void this.dispatch({ kind });
    });
    return this.state.subscribe(changesChannel, (message) => void this.dispatch(JSON.parse(message) as Change));
  }

  /** Handlers run at once; never rejects. */
  private async dispatch(change: Change): Promise<void> {
    const handlers = this.handlers.get(change.kind) ?? [];
    await Promise.allSettled(handlers.map(async (handler) => handler(change)));
  }
}
