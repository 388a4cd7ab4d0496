import type { FastifyPluginAsync } from 'fastify';
import type { Metrics } from '../../observability/metrics.js';
import { sameSecret } from '../../shared/secrets.js';
import type { HealthService } from './health.service.js';

/**
 * `/healthz`: the process answers. `/readyz`: it can serve calls (200 or 503, with what is wrong by name). `/metrics`:
 * Prometheus text, behind a bearer token when one is set.
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
      if (metricsToken && !sameSecret(request.headers.authorization ?? '', `Bearer ${metricsToken}`)) {
        return reply.status(401).header('WWW-Authenticate', 'Bearer').type('text/plain').send('Unauthorized\n');
      }
      return reply.type(metrics.registry.contentType).send(await metrics.scrape());
    });
  };
