import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Browsers on other sites may call routes with API keys: the relay, billing and the log of one key
 * (docs/reference/rest/conventions.md#headers). No credentials: a foreign page never acts with the visitor's session.
 */
export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'X-Oneapi-Request-Id, Retry-After',
} as const;

const preflightHeaders = {
  ...corsHeaders,
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
  'access-control-allow-headers':
    'Authorization, Content-Type, Accept, Cache-Control, Pragma, x-api-key, x-goog-api-key, mj-api-secret, ' +
    'anthropic-version, anthropic-beta, anthropic-dangerous-direct-browser-access, OpenAI-Beta, OpenAI-Organization, ' +
    'OpenAI-Project, Veloera-User, X-Requested-With, X-Stainless-Arch, X-Stainless-Lang, X-Stainless-OS, ' +
    'X-Stainless-Package-Version, X-Stainless-Retry-Count, X-Stainless-Runtime, X-Stainless-Runtime-Version, ' +
    'X-Stainless-Timeout, X-Stainless-Helper-Method',
  'access-control-max-age': '43200',
} as const;

const openPaths = ['/v1/', '/v1beta/', '/hf/', '/mj/', '/suno/', '/dashboard/billing/'];

export function isCrossOriginPath(path: string): boolean {
  if (openPaths.some((prefix) => path.startsWith(prefix))) return true;
  // /<mode>/mj/… is the older way to ask for a drawing speed
  return path === '/api/log/token' || path === '/api/log/token/' || /^\/[\w-]+\/mj\//.test(path);
}

/** Handles preflights and adds CORS headers. Hijacked replies write `corsHeaders` themselves. */
export function allowCrossOrigin(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    // Almost every API call comes from a program, which sends no Origin.
    if (request.headers.origin === undefined || !isCrossOriginPath(pathOf(request))) return done();
    if (request.method === 'OPTIONS') return void reply.status(204).headers(preflightHeaders).send();
    reply.headers(corsHeaders);
    done();
  });
}

export function pathOf(request: FastifyRequest): string {
  const end = request.url.indexOf('?');
  return end === -1 ? request.url : request.url.slice(0, end);
}
