import type { FastifyInstance } from 'fastify';
import type { Logger } from '../observability/logger.js';

/**
 * Stops accepting connections and waits for running calls. After the timeout their connections are closed; the relay
 * then ends them as if the client had disconnected, and charges the delivered part.
 */
export async function closeGracefully(app: FastifyInstance, milliseconds: number, logger: Logger): Promise<void> {
  const late = setTimeout(() => {
    logger.warn({ milliseconds }, 'calls in flight did not finish in time, closing their connections');
    app.server.closeAllConnections();
  }, milliseconds);
  // Finished keep-alive connections would otherwise stay open.
  const idle = setInterval(() => app.server.closeIdleConnections(), 100);
  try {
    await app.close();
  } finally {
    clearTimeout(late);
    clearInterval(idle);
  }
}
