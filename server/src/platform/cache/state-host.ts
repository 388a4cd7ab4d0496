import { MemoryState } from './memory-state.js';
import type { StateRequest, StateResponse } from './state-messages.js';

type Send = (response: StateResponse) => void;

/** Keeps the shared state of all workers in the primary process. */
export class StateHost {
  private readonly state: MemoryState;

  /** @param report called when a message cannot be delivered to a worker */
  constructor(report: (error: unknown) => void) {
    this.state = new MemoryState(report);
  }

  /** Adds a worker. `send` delivers messages to it. */
  connect(send: Send): StateGuest {
    return new StateGuest(this.state, send);
  }
}

/** The connection of one worker to the shared state. */
class StateGuest {
  private readonly subscriptions = new Map<string, Promise<() => Promise<void>>>();

  constructor(
    private readonly state: MemoryState,
    private readonly send: Send,
  ) {}

  receive(request: StateRequest): void {
    if (request.kind === 'state') void this.answer(request);
    else if (request.kind === 'unsubscribe') this.unsubscribe(request.channel);
    else if (!this.subscriptions.has(request.channel)) {
      const { channel } = request;
      const ending = this.state.subscribe(channel, (message) => this.send({ kind: 'published', channel, message }));
      this.subscriptions.set(channel, ending);
    }
  }

  /** Removes the worker, which has ended. Nothing more is delivered to it. */
  leave(): void {
    for (const channel of [...this.subscriptions.keys()]) this.unsubscribe(channel);
  }

  private async answer({ id, method, parameters }: Extract<StateRequest, { kind: 'state' }>): Promise<void> {
    try {
      const call = this.state[method].bind(this.state) as (...parameters: readonly unknown[]) => Promise<unknown>;
      this.send({ kind: 'result', id, value: await call(...parameters) });
    } catch (error) {
      this.send({ kind: 'failure', id, message: error instanceof Error ? error.message : String(error) });
    }
  }

  private unsubscribe(channel: string): void {
    const ending = this.subscriptions.get(channel);
    this.subscriptions.delete(channel);
    void ending?.then((end) => end());
  }
}
