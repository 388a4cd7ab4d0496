import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { isFromThisMachine } from '../http/loopback.js';
import { RestAnswer, type RestHandlers } from '../http/rest.js';
import { restRoutes, routesFor } from '../http/route.js';
import type { Metrics } from '../observability/metrics.js';
import { sameSecret } from '../../shared/secrets.js';
import type { HealthService } from './health.service.js';

interface HealthDeps {
  readonly health: HealthService;
  readonly metrics: Metrics;
  readonly metricsToken?: string;
}

const route = routesFor<HealthDeps>();

/**
 * `/healthz`: the process responds. `/readyz`: the node can serve calls (200 or 503, with every check by
 * name). `/metrics`: Prometheus text. Metrics show turnover per model, so they require the bearer token; without a
 * configured token only this machine may read them.
 */
export const healthRoutes = [
  route('GET /healthz', {
    summary: 'The process responds',
    caller: 'open',
    response: z.object({ status: z.literal('ok') }),
    example: {},
    handle: async () => ({ status: 'ok' as const }),
  }),
  route('GET /readyz', {
    summary: 'The server can serve calls; 503 when it cannot',
    caller: 'open',
    response: z.object({ status: z.string(), checks: z.unknown() }),
    also: { 503: 'It cannot serve calls' },
    example: {},
    handle: async ({ health }) => {
      const { ready, checks } = await health.readiness();
      return new RestAnswer({ status: ready ? 'ready' : 'not ready', checks }, ready ? 200 : 503);
    },
  }),
  route('GET /metrics', {
    summary: 'Metrics in the text format of Prometheus',
    description: 'From this machine only, unless `METRICS_TOKEN` is set: then with it as a bearer token.',
    caller: 'open',
    media: 'text/plain',
    also: { 401: 'From another machine without the token' },
    example: {},
    handle: async ({ metrics, metricsToken }, { request, reply }) => {
      const allowed = metricsToken
        ? sameSecret(request.headers.authorization ?? '', `Bearer ${metricsToken}`)
        : isFromThisMachine(request);
      if (!allowed) {
        const hint = metricsToken ? '' : ': set METRICS_TOKEN to read metrics from another machine';
        reply.header('WWW-Authenticate', 'Bearer').type('text/plain');
        return new RestAnswer(`Unauthorized${hint}\n`, 401);
      }
      reply.type(metrics.registry.contentType);
      return new RestAnswer(await metrics.scrape());
    },
  }),
];

export const machineChecks =
  (deps: HealthDeps, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('Cache-Control', 'no-store');
    });
    await app.register(restRoutes(healthRoutes, deps, rest), { logLevel: 'warn' });
  };
