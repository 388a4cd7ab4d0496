import type { FastifyPluginAsync } from 'fastify';
import type { Metrics } from './metrics.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The relay answers this one itself, and measures it. */
    taken: boolean;
  }
}

/**
 * Times every request that the relay does not take by its route pattern, never its address. Registered first and without a scope
 * of its own, so that its hook covers what is registered after it.
 */
export function httpMetrics(metrics: Metrics): FastifyPluginAsync {
  const plugin: FastifyPluginAsync = async (app) => {
    app.decorateRequest('taken', false);
    app.addHook('onResponse', (request, reply, done) => {
      if (!request.taken)
        metrics.httpDuration.observe(
          { method: request.method, route: request.routeOptions.url ?? 'none', status: String(reply.statusCode) },
          reply.elapsedTime / 1000,
        );
      done();
    });
  };
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}
