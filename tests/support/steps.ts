import { AsyncLocalStorage, createHook, type AsyncHook } from 'node:async_hooks';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** One connection of a client and the asynchronous steps that its call has made. */
interface Walk {
  readonly leaveAt: number;
  readonly onLeave: (socket: Socket) => void;
  socket: Socket | null;
  steps: number;
  isOver: boolean;
}

/**
 * Counts the asynchronous steps that a server makes for one connection, and ends the connection at a chosen step. A
 * step is a continuation after an `await`, or a callback: everything that begins in a context which descends from that
 * connection. The test's own work is not counted.
 */
export class Steps {
  private readonly contexts = new AsyncLocalStorage<Walk>();
  private readonly resources = new Map<number, Walk>();
  private readonly hook: AsyncHook;
  private expected: Walk | null = null;

  constructor(server: Server) {
    this.hook = createHook({
      init: (id) => {
        const walk = this.contexts.getStore();
        if (walk && !walk.isOver) this.resources.set(id, walk);
      },
      before: (id) => {
        const walk = this.resources.get(id);
        if (walk && !walk.isOver) this.step(walk);
      },
    }).enable();
    this.follow(server);
  }

  stop(): void {
    this.hook.disable();
  }

  /**
   * Follows the next connection to the server while `work` runs.
   * @param leaveAt the step at which the connection ends; beyond the last step it never does
   * @param onLeave called in the middle of that step with the server's side of the connection
   */
  async walk(leaveAt: number, onLeave: Walk['onLeave'], work: () => Promise<unknown>): Promise<void> {
    const walk: Walk = { leaveAt, onLeave, socket: null, steps: 0, isOver: false };
    this.expected = walk;
    await work();
    walk.isOver = true;
    this.resources.clear();
  }

  private step(walk: Walk): void {
    if (walk.socket?.destroyed !== false) return;
    walk.steps++;
    const { socket } = walk;
    // Disconnecting happens outside the context, so that it makes no steps of its own.
    if (walk.steps === walk.leaveAt) this.contexts.exit(() => walk.onLeave(socket));
  }

  /** Runs the server's work for the expected connection in a context of its own. */
  private follow(server: Server): void {
    const emit = server.emit.bind(server);
    server.emit = (event: string | symbol, ...values: unknown[]): boolean => {
      const walk = this.expected;
      if (event !== 'connection' || !walk) return emit(event as string, ...values);
      this.expected = null;
      const socket = values[0] as Socket;
      walk.socket = socket;
      const emitOfSocket = socket.emit.bind(socket);
      socket.emit = (name: string | symbol, ...given: unknown[]): boolean =>
        this.contexts.run(walk, () => emitOfSocket(name as string, ...given));
      return this.contexts.run(walk, () => emit('connection', ...values));
    };
  }
}
