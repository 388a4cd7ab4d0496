import type { FastifyPluginAsync } from 'fastify';
import { isFromThisMachine } from '../http/loopback.js';
import type { Metrics } from '../observability/metrics.js';
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
