/** Subscribers by channel in this process. An error in one handler affects neither the others nor the publisher. */
export class Subscriptions {
  private readonly handlers = new Map<string, Set<(message: string) => void>>();
  private readonly gapHandlers = new Set<() => void>();

  constructor(private readonly report: (error: unknown) => void) {}

  add(channel: string, handler: (message: string) => void): void {
    const handlers = this.handlers.get(channel) ?? new Set();
    this.handlers.set(channel, handlers.add(handler));
  }

  /** @returns whether the channel has no subscribers left */
  remove(channel: string, handler: (message: string) => void): boolean {
    const handlers = this.handlers.get(channel);
    handlers?.delete(handler);
    if (handlers && handlers.size > 0) return false;
    this.handlers.delete(channel);
    return true;
  }

  deliver(channel: string, message: string): void {
    for (const handler of this.handlers.get(channel) ?? []) this.call(() => handler(message));
  }

  onGap(handler: () => void): void {
    this.gapHandlers.add(handler);
  }

  reportGap(): void {
    for (const handler of this.gapHandlers) this.call(handler);
  }

  private call(handler: () => void): void {
    try {
      handler();
    } catch (error) {
      this.report(error);
    }
  }
}
