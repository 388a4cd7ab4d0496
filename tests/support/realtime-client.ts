import { WebSocket, type ClientOptions } from 'ws';
import { eventually } from './task-site.js';
import { send, type RealtimeEvent } from './upstream/realtime.js';

/** A client of realtime sessions that records every event it receives. */
export class RealtimeClient {
  readonly events: RealtimeEvent[] = [];
  /** Close code; null while it is open. */
  closed: number | null = null;

  constructor(readonly socket: WebSocket) {
    socket.on('error', () => undefined);
    socket.on('message', (data, isBinary) => {
      if (!isBinary) this.events.push(JSON.parse((data as Buffer).toString()) as RealtimeEvent);
    });
    socket.on('close', (code) => (this.closed = code));
  }

  send(event: RealtimeEvent): void {
    send(this.socket, event);
  }

  /** Waits until `count` events of this type were received. */
  async until(type: string, count = 1): Promise<void> {
    const seen = await eventually(
      () => Promise.resolve(this.events.filter((event) => event['type'] === type).length),
      // A closed socket receives nothing more.
      (found) => found >= count || this.closed !== null,
      30,
    );
    expect(seen).toBeGreaterThanOrEqual(count);
  }

  /** @returns the close code */
  async untilClosed(): Promise<number | null> {
    return eventually(
      () => Promise.resolve(this.closed),
      (code) => code !== null,
      20,
    );
  }
}

/** Sessions at one server, all ended by `close`. */
export class RealtimeClients {
  private readonly open = new Set<WebSocket>();

  constructor(
    private readonly url: string,
    private readonly usualModel: string,
  ) {}

  address(query = `model=${this.usualModel}`): string {
    return `${this.url.replace('http', 'ws')}/v1/realtime?${query}`;
  }

  /** Registers a socket that a test opened itself. */
  keep(socket: WebSocket): WebSocket {
    this.open.add(socket);
    return socket;
  }

  connect(query?: string, options: ClientOptions = {}, protocols: string[] = ['realtime']): RealtimeClient {
    return new RealtimeClient(this.keep(new WebSocket(this.address(query), protocols, options)));
  }

  /** Opens a session. */
  async session(key: string, model = this.usualModel): Promise<RealtimeClient> {
    const client = this.connect(`model=${model}`, { headers: { authorization: `Bearer ${key}` } });
    await client.until('session.created');
    return client;
  }

  /** The plain HTTP response to a refused handshake. */
  async refusal(query: string, headers: Record<string, string>): Promise<{ status: number; body: string }> {
    const socket = this.keep(new WebSocket(this.address(query), { headers }));
    socket.on('error', () => undefined);
    return new Promise((resolve, reject) => {
      socket.on('open', () => reject(new Error('the session was opened')));
      socket.on('unexpected-response', (_request, response) => {
        let body = '';
        response.on('data', (piece: Buffer) => (body += piece.toString()));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      });
    });
  }

  close(): void {
    for (const socket of this.open) socket.terminate();
    this.open.clear();
  }
}
