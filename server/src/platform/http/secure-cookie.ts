import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** Option `ServerAddress`: the public URL of this site, or an empty string. */
    readonly publicAddress: () => string;
  }
}

/**
 * Whether the browser reaches this site over https, so that its cookies are `Secure`. TLS usually ends at a proxy: without
 * TRUSTED_PROXIES the connection looks like plain http, and the page's own origin or the configured address decides.
 * A page that was opened over http gets a cookie that http can carry: a first start has no certificate.
 */
export function usesHttps(request: FastifyRequest): boolean {
  if (request.protocol === 'https') return true;
  const { origin } = request.headers;
  if (origin?.startsWith('https://')) return true;
  return !origin?.startsWith('http://') && request.server.publicAddress().startsWith('https://');
}
