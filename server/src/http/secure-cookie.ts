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
  if (request.protocol === 'https' || isForwardedFromHttps(request)) return true;
  const { origin } = request.headers;
  if (origin?.startsWith('https://')) return true;
  return !origin?.startsWith('http://') && request.server.publicAddress().startsWith('https://');
}

/**
 * Each proxy adds a value to X-Forwarded-Proto, and the first one is that of the browser's connection (`https,http`). Fastify reads the
 * last one. Only a trusted proxy is believed: for others `ips` has the address of the connection alone, or is absent.
 */
function isForwardedFromHttps({ ips = [], headers }: FastifyRequest): boolean {
  const [first = ''] = String(headers['x-forwarded-proto'] ?? '').split(',');
  return ips.length > 1 && first.trim().toLowerCase() === 'https';
}
