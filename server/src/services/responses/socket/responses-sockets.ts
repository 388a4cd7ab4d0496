import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocketServer, type WebSocket } from 'ws';
import { AppError } from '../../../shared/errors.js';
import type { Caller } from '../../../gateway/admit/authentication.js';
import type { IncomingRequest } from '../../../gateway/request.js';
import { RelayError } from '../../../dialects/errors/relay-error.js';
import { withProtocolKey } from '../../realtime/protocols.js';
import { countFrames } from '../../realtime/socket-reading.js';
import type { Accepted } from '../../realtime/upgrades.js';
import { ResponsesSocket, type ResponsesSocketDeps } from './responses-socket.js';

const pingMilliseconds = 30_000;
/** Milliseconds after which a client has to reconnect. */
const lifeMilliseconds = 60 * 60_000;
/** Maximum number of open connections of one user at this node. */
const maxPerUser = 64;

/** Milliseconds after which a call that has not ended is aborted. */
const stopMilliseconds = 10_000;

/** The connections of `GET /v1/responses` at this node. */
export class ResponsesSockets {
  private readonly server: WebSocketServer;
  private readonly open = new Map<WebSocket, ResponsesSocket>();
  private readonly users = new Map<number, number>();
  private isStopping = false;

  constructor(
    private readonly deps: ResponsesSocketDeps,
    maxBodyBytes: number,
  ) {
    this.server = new WebSocketServer({ noServer: true, maxPayload: maxBodyBytes, perMessageDeflate: false });
  }

  /**
   * Accepts a connection.
   * @throws AppError when the key is refused, RATE_LIMITED above the user's maximum number of connections
   */
  async accept(incoming: IncomingRequest): Promise<Accepted> {
    const handshake = { ...incoming, headers: withProtocolKey(incoming.headers) };
    const { caller } = await this.deps.relay.identify(handshake);
    const leave = this.enter(caller.user.id);
    return {
      abandon: leave,
      upgrade: (request: IncomingMessage, { socket, head }) => {
        socket.once('close', leave);
        this.server.handleUpgrade(request, socket, head, (client) => {
          countFrames(socket, client, this.deps.bodies.open(caller.user.id));
          this.begin(client, handshake, caller);
        });
      },
    };
  }

  /**
   * Ends the connections once their calls are complete, or after `stopMilliseconds`. Call it before the HTTP server
   * closes.
   */
  async stop(): Promise<void> {
    this.isStopping = true;
    const idle = [...this.open].map(async ([socket, connection]) => {
      await connection.idle();
      socket.close(1012, 'the server is restarting');
    });
    await Promise.race([Promise.all(idle), sleep(stopMilliseconds, undefined, { ref: false })]);
    for (const socket of this.open.keys()) setTimeout(() => socket.terminate(), 1000).unref();
    this.server.close();
  }

  /**
   * Counts a connection of a user.
   * @returns a function that uncounts it; repeated calls do nothing
   */
  private enter(userId: number): () => void {
    const count = this.users.get(userId) ?? 0;
    if (this.isStopping || count >= maxPerUser) {
      throw new AppError('RATE_LIMITED', `At most ${maxPerUser} connections may be open at once`);
    }
    this.users.set(userId, count + 1);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      const left = (this.users.get(userId) ?? 1) - 1;
      if (left > 0) this.users.set(userId, left);
      else this.users.delete(userId);
    };
  }

  private begin(socket: WebSocket, handshake: IncomingRequest, caller: Caller): void {
    const connection = new ResponsesSocket(socket, handshake, caller, this.deps);
    this.open.set(socket, connection);
    let isAlive = true;
    socket.on('pong', () => (isAlive = true));
    const ping = setInterval(() => {
      // A client that does not read may still send its pong later. Only missing pongs end the connection.
      if (!isAlive) return socket.terminate();
      isAlive = false;
      socket.ping();
    }, pingMilliseconds);
    const life = setTimeout(() => void this.expire(socket, connection), lifeMilliseconds);
    socket.once('close', () => {
      clearInterval(ping);
      clearTimeout(life);
      this.open.delete(socket);
    });
  }

  private async expire(socket: WebSocket, connection: ResponsesSocket): Promise<void> {
    await connection.idle();
    connection.report(
      new RelayError(
        'INVALID_INPUT',
        'Responses websocket connection limit reached (60 minutes). Create a new websocket connection to continue.',
        'websocket_connection_limit_reached',
      ),
    );
    socket.close(1000, 'the connection reached its maximum duration');
  }
}
