import type { FastifyPluginAsync } from 'fastify';
import type { Metrics } from './metrics.js';

/**
 * Times every request that is not hijacked by its route pattern, never its address. Registered first and without a scope
 * of its own, so that its hook covers what is registered after it.
 */
export function httpMetrics(metrics: Metrics): FastifyPluginAsync {
  const plugin: FastifyPluginAsync = async (app) => {
    app.addHook('onResponse', async (request, reply) => {
      metrics.httpDuration.observe(
        { method: request.method, route: request.routeOptions.url ?? 'none', status: String(reply.statusCode) },
        reply.elapsedTime / 1000,
      );
    });
  };
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}
