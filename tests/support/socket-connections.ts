import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';

/** A real connection: the end that the code under test uses, and the remote end. */
interface Connection {
  readonly near: WebSocket;
  readonly far: WebSocket;
}

/**
 * A server of WebSockets for the tests of a file. Connections are cut off after each test.
 * @returns opens a connection; `autoPong` is that of the remote end
 */
export function socketConnections(): (autoPong?: boolean) => Promise<Connection> {
  let http: Server;
  let sockets: WebSocketServer;
  const open: WebSocket[] = [];
  beforeAll(async () => {
    http = createServer();
    sockets = new WebSocketServer({ server: http });
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
  });
  afterEach(() => {
    for (const socket of open.splice(0)) socket.terminate();
  });
  afterAll(() => {
    sockets.close();
    http.close();
  });
  return async (autoPong = true) => {
    const near = once(sockets, 'connection') as Promise<[WebSocket]>;
    const far = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`, { autoPong });
    far.on('error', () => undefined);
    await once(far, 'open');
    const [socket] = await near;
    open.push(far, socket);
    return { near: socket, far };
  };
}
