import type { FastifyInstance } from 'fastify';
import type { Logger } from '../observability/logger.js';

/**
 * Stops accepting connections and waits for the calls in flight. Those that take longer than the time given lose their
 * connection: the relay then ends them as if the client had left, and charges for what was delivered.
 */
export async function closeGracefully(app: FastifyInstance, milliseconds: number, logger: Logger): Promise<void> {
  const late = setTimeout(() => {
    logger.warn({ milliseconds }, 'calls in flight did not finish in time, closing their connections');
    app.server.closeAllConnections();
  }, milliseconds);
  // A connection whose call just finished would otherwise be kept open for the client's next one.
  const idle = setInterval(() => app.server.closeIdleConnections(), 100);
  try {
    await app.close();
  } finally {
    clearTimeout(late);
    clearInterval(idle);
  }
}
