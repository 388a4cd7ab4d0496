/**
 * Realtime clients that disconnect after every number of event loop turns, from a server that allows each user one
 * session.
 */
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { WebSocket } from 'ws';
import { reconcile } from '../../server/src/billing/ledger/reconcile.js';
import { until } from '../faults/traffic.js';
import { startServer, type LocalServer } from './server.js';
import { startRealtimeUpstream, type RealtimeUpstream } from './upstream/realtime.js';

/** The reaction of a client to an event of the server. */
type Listener = (socket: WebSocket, type: string) => void;

export class LeaveSite {
  private constructor(
    private readonly server: LocalServer,
    private readonly upstream: RealtimeUpstream,
    readonly pool: pg.Pool,
    private readonly key: string,
  ) {}

  /** One channel with this model; a user may have one session at a time. */
  static async start(model: string, prepare: (upstream: RealtimeUpstream) => void): Promise<LeaveSite> {
    const upstream = await startRealtimeUpstream();
    prepare(upstream);
    const server = await startServer();
    const pool = new pg.Pool({ connectionString: server.database.url, max: 1 });
    const { api } = server;
    const root = await api.setUp();
    await api.createChannel(root, { baseUrl: upstream.url, key: 'sk-up', models: [model] });
    const { key } = await api.createToken(root, { name: 'leaver' });
    await api.data(root, 'PUT', '/api/option/', { key: 'ModelRequestUserInFlightLimit', value: '1' });
    return new LeaveSite(server, upstream, pool, key);
  }

  async stop(): Promise<void> {
    await this.pool.end();
    await this.server.stop();
    await this.upstream.stop();
  }

  /**
   * Opens sessions whose connections break at the server 0, 1, 2 and more turns of the event loop after the handshake
   * arrived, until one session ends before that. Each session needs the concurrency slot of the previous one.
   * @returns the last events that the clients received
   */
  async leaveAtEveryMoment(query: string, on: Listener): Promise<Array<string | undefined>> {
    const phases = new Set<string | undefined>();
    for (let turns = 0; ; turns++) {
      const { left, seen, refused } = await this.leaveAfter(turns, query, on);
      // A 429 means that the previous session still had its slot.
      expect({ turns, refused }).toEqual({ turns, refused: 0 });
      phases.add(seen.at(-1));
      if (!left) return [...phases];
    }
  }

  /** Checks that nothing is reserved, the provider has no session, and the ledger is consistent. */
  async expectNothingHeld(): Promise<void> {
    const isFree = async (): Promise<boolean> => (await this.pool.query('SELECT 1 FROM reservations')).rowCount === 0;
    await until(isFree, 30, 'nothing is reserved');
    await until(
      () => this.upstream.sessions.every(({ socket }) => socket.readyState === WebSocket.CLOSED),
      30,
      'the provider has no session',
    );
    expect(await reconcile(this.pool)).toEqual([]);
  }

  private async leaveAfter(
    turns: number,
    query: string,
    on: Listener,
  ): Promise<{ left: boolean; seen: string[]; refused: number }> {
    const seen: string[] = [];
    const at: { left?: Promise<void> } = {};
    let refused = 0;
    const count = (socket: Duplex, more: number): void => {
      if (socket.destroyed) return;
      if (more > 0) return void setImmediate(() => count(socket, more - 1));
      at.left = new Promise((resolve) => socket.once('close', () => setImmediate(resolve)));
      socket.destroy();
    };
    this.server.app.server.prependOnceListener('upgrade', (_request, socket) => count(socket, turns));
    const socket = new WebSocket(`${this.server.url.replace('http', 'ws')}/v1/realtime?${query}`, {
      headers: { authorization: `Bearer ${this.key}` },
    });
    socket.on('error', () => undefined);
    socket.on('unexpected-response', (_request, response) => {
      refused = response.statusCode ?? 0;
      socket.terminate();
    });
    socket.on('message', (data) => {
      const { type } = JSON.parse((data as Buffer).toString()) as { type: string };
      seen.push(type);
      on(socket, type);
    });
    await new Promise((resolve) => socket.once('close', resolve));
    await at.left;
    return { left: at.left !== undefined, seen, refused };
  }
}
