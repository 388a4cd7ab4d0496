import { isIPv4 } from 'node:net';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { Metrics } from '../../observability/metrics.js';
import { sameSecret } from '../../shared/secrets.js';
import type { HealthService } from './health.service.js';

/**
 * `/healthz`: the process responds. `/readyz`: the node can serve calls (200 or 503, with every check by
 * name). `/metrics`: Prometheus text. Metrics show turnover per model, so they require the bearer token; without a
 * configured token only this machine may read them.
 */
export const healthRoutes =
  (health: HealthService, metrics: Metrics, metricsToken?: string): FastifyPluginAsync =>
  async (app) => {
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('Cache-Control', 'no-store');
    });

    app.get('/healthz', { logLevel: 'warn' }, async () => ({ status: 'ok' }));

    app.get('/readyz', { logLevel: 'warn' }, async (_request, reply) => {
      const { ready, checks } = await health.readiness();
      return reply.status(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', checks });
    });

    app.get('/metrics', { logLevel: 'warn' }, async (request, reply) => {
      const allowed = metricsToken
        ? sameSecret(request.headers.authorization ?? '', `Bearer ${metricsToken}`)
        : isFromThisMachine(request);
      if (!allowed) {
        const hint = metricsToken ? '' : ': set METRICS_TOKEN to read metrics from another machine';
        return reply.status(401).header('WWW-Authenticate', 'Bearer').type('text/plain').send(`Unauthorized${hint}\n`);
      }
      return reply.type(metrics.registry.contentType).send(await metrics.scrape());
    });
  };

/** A loopback connection that no proxy forwarded: behind a proxy on the same machine, every visitor is a loopback peer. */
function isFromThisMachine({ raw, headers }: FastifyRequest): boolean {
  if (headers['x-forwarded-for'] ?? headers.forwarded ?? headers['x-real-ip'] ?? headers.via) return false;
  const address = (raw.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  return address === '::1' || (isIPv4(address) && address.startsWith('127.'));
}
