import type { FastifyInstance, FastifyRequest } from 'fastify';
import { headerValues } from '../../shared/comma-list.js';

/**
 * Browsers on other sites may call routes with API keys or access tokens: the relay, billing, the log and usage of one
 * key, and GraphQL (docs/reference/rest/conventions.md#headers). Credentials are not allowed, so a foreign page never
 * acts with the visitor's session.
 */
export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
} as const;

const preflightHeaders = {
  ...corsHeaders,
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
  'access-control-max-age': '43200',
  vary: 'Access-Control-Request-Headers',
} as const;

const openPaths = [
  '/v1/',
  '/v1beta/',
  '/openai/',
  '/anthropic/',
  '/hf/',
  '/mj/',
  '/suno/',
  '/kling/',
  '/dashboard/billing/',
];

/** Other routes that take an API key or an access token. */
const keyPaths = new Set([
  '/graphql',
  '/graphql/stream',
  '/api/log/token',
  '/api/log/token/',
  '/api/usage/token',
  '/api/usage/token/',
]);

/** Whether any site may call a route, because it takes an API key or an access token. */
export function isCrossOriginPath(path: string): boolean {
  if (openPaths.some((prefix) => path.startsWith(prefix))) return true;
  // The paths `/<mode>/mj/…` are the older form of a request for a drawing speed.
  return keyPaths.has(path) || /^\/[\w-]+\/mj\//.test(path);
}

/** Handles preflights and adds CORS headers. Hijacked replies write `corsHeaders` themselves. */
export function allowCrossOrigin(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    // Almost every API call comes from a program, which sends no Origin.
    if (request.headers.origin === undefined || !isCrossOriginPath(pathOf(request))) return done();
    if (request.method === 'OPTIONS') {
      return void reply
        .status(204)
        .headers({ ...preflightHeaders, 'access-control-allow-headers': requestedHeaders(request) })
        .send();
    }
    reply.headers(corsHeaders);
    done();
  });
}

/**
 * Returns the header names that a page asks for. All are allowed, because credentials are not: SDKs and apps add names
 * of their own, and `*` does not include `Authorization`.
 */
function requestedHeaders({ headers }: FastifyRequest): string {
  const names = headerValues(headers['access-control-request-headers'] ?? '');
  return names.filter((name) => headerName.test(name)).join(', ') || 'Authorization, Content-Type';
}

const headerName = /^[\w!#$%&'*+.^`|~-]+$/;

/** The path of the URL without its query. */
export function pathOf(request: FastifyRequest): string {
  const end = request.url.indexOf('?');
  return end < 0 ? request.url : request.url.slice(0, end);
}
