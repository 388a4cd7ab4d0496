import type { FastifyInstance } from 'fastify';
import { Server as Listener, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../observability/logger.js';

/** Milliseconds in which a client that connected before the stop has to send its first request. */
const firstRequestMilliseconds = 1000;

/**
 * Prepares a graceful stop. Call it before the server listens.
 *
 * @returns stops accepting connections and waits for running calls. After the timeout their connections are closed; the
 * relay then ends them as if the client had disconnected, and charges the delivered part.
 */
export function prepareClose(app: FastifyInstance, milliseconds: number, logger: Logger): () => Promise<void> {
  const { server } = app;
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.on('close', forget);
  });
  function forget(this: Socket): void {
    connections.delete(this);
  }
  const unused = (): Socket[] => [...connections].filter(({ bytesRead }) => bytesRead === 0);

  return async () => {
    const late = setTimeout(() => {
      logger.warn({ milliseconds }, 'calls in flight did not finish in time, closing their connections');
      server.closeAllConnections();
    }, milliseconds);
    let idle: NodeJS.Timeout | undefined;
    try {
      // Each response from now on is the last one of its connection.
      server.prependListener('request', (_request, response) => {
        response.shouldKeepAlive = false;
      });
      // `http.Server.close` closes idle connections, too. For Node 26, a connection is idle before its first request.
      // For older versions it is not, and would delay the stop until the timeout if its client never uses it.
      Listener.prototype.close.call(server);
      const deadline = performance.now() + Math.min(firstRequestMilliseconds, milliseconds);
      while (unused().length > 0 && performance.now() < deadline) await delay(20);
      for (const socket of unused()) socket.destroy();
      // Finished keep-alive connections would otherwise stay open.
      idle = setInterval(() => server.closeIdleConnections(), 100);
      await app.close();
    } finally {
      clearTimeout(late);
      clearInterval(idle);
    }
  };
}
