import compress, { type FastifyCompressOptions } from '@fastify/compress';
import cookie from '@fastify/cookie';
import helmet from '@fastify/helmet';
import statics from '@fastify/static';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
  type onRequestAsyncHookHandler,
} from 'fastify';
import { existsSync } from 'node:fs';
import type { SharedState } from '../cache/shared-state.js';
import { requestLogger } from '../observability/http-requests.js';
import { protocolOf, withoutPorts } from '../../shared/address.js';
import { InvalidInputError } from '../../shared/errors.js';
import { newRequestId, requestIdHeader } from '../../shared/ids.js';
import { acceptJsonBodies, apiBodyLimit } from './api-scope.js';
import type { Authenticator } from './authenticate.js';
import { removeBasePath } from './base-path.js';
import { anonymousBodyLimit, limitAnonymousBodies, parseBoundedJson } from './body-limits.js';
import { ConsolePage, type ConsoleSite, manifestPath } from './console-page.js';
import { allowCrossOrigin, pathOf } from './cors.js';
import {
  closeSlowBodies,
  limitConnections,
  serveDirectly,
  type BodyPace,
  type ConnectionLimits,
  type ServeDirectly,
} from './node-server.js';
import {
  type ErrorResponse,
  isModelPage,
  isProgramPath,
  refuseUnknownWrites,
  refuseWordsAsIds,
  sendInvalidUrl,
} from './not-found.js';
import { limitByAddress, type RateLimit } from './rate-limit.js';
import { sendRestError } from './rest-error.js';
import { withPage } from './too-many-page.js';

export interface AppDeps {
  readonly logger: FastifyBaseLogger;
  readonly state: SharedState;
  /** Addresses or ranges whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  readonly apiRateLimit: RateLimit;
  readonly webRateLimit: RateLimit;
  /** Folder of the built console; null serves none. */
  readonly clientRoot: string | null;
  readonly site: () => ConsoleSite;
  /** BASE_PATH; absent or empty when the site is at the root of its host. */
  readonly basePath?: string;
  /** Option `ServerAddress`; an empty string when it is not set. */
  readonly publicAddress?: () => string;
  /** Writes errors of unknown paths, whose clients speak several dialects. */
  readonly errorResponse: ErrorResponse;
  /** Plugins that are registered at the root without hooks: the relay, health and metrics. */
  readonly plugins: readonly FastifyPluginAsync[];
  /** The routes under `/api`. */
  readonly api: readonly FastifyPluginAsync[];
  /** Serves `/graphql`. */
  readonly graphql?: FastifyPluginAsync;
  /** Identifies callers before their bodies are read. Absent: every caller has the anonymous limit. */
  readonly authenticator?: Authenticator;
  readonly bodyPace?: BodyPace;
  readonly connections?: ConnectionLimits;
  /** Serves hot calls before the framework. */
  readonly direct?: ServeDirectly;
}

/** A mounted route: method and URL pattern. */
export interface MountedRoute {
  readonly method: string;
  /** The pattern, `/api/user/:id`. */
  readonly url: string;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** All mounted routes. A test requires each of them in the role table. */
    readonly routes: readonly MountedRoute[];
  }
}

/** 64 MB at a slow home connection's upload rate; no legitimate client sends less than a kilobyte per second. */
const defaultPace: BodyPace = { grace: 15_000, minRate: 1024, maxTime: 15 * 60_000 };
/** The longest document of the console with its variables. */
const anonymousGraphqlLimit = 64 * 1024;
const noActors: Authenticator = {
  actorOfSession: () => Promise.resolve(null),
  actorOfAccessToken: () => Promise.resolve(null),
  actorInOrganisation: (actor) => Promise.resolve(actor),
};

/** The HTTP server with everything mounted, not yet listening. */
export async function createApp(deps: AppDeps): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: deps.logger,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: requestLogger,
    genReqId: () => newRequestId(),
    requestIdHeader: false,
    trustProxy: deps.trustedProxies.length > 0 ? [...deps.trustedProxies] : false,
    bodyLimit: apiBodyLimit,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    frameworkErrors: (_error, request, reply) => void sendInvalidUrl(request as FastifyRequest, reply as FastifyReply),
    clientErrorHandler: answerClientError,
    // A request whose connection was accepted before the stop is a call in flight: it is served, and its connection is
    // closed afterwards.
    return503OnClosing: false,
  });
  if (deps.direct) serveDirectly(app, deps.direct, deps.trustedProxies.length > 0);
  closeSlowBodies(app.server, deps.bodyPace ?? defaultPace);
  limitConnections(app.server, deps.connections ?? { total: 0, perAddress: 0 }, deps.trustedProxies);
  const routes: MountedRoute[] = [];
  app.decorate('routes', routes);
  app.decorate('publicAddress', deps.publicAddress ?? (() => ''));
  app.decorate('basePath', deps.basePath ?? '');
  app.decorate('errorResponse', deps.errorResponse);
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) routes.push({ method: one, url });
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(requestIdHeader, request.id);
    const { headers } = request.raw;
    const forwardedFor = headers['x-forwarded-for'];
    if (typeof forwardedFor === 'string') headers['x-forwarded-for'] = withoutPorts(forwardedFor);
    const forwardedProto = headers['x-forwarded-proto'];
    // Fastify reads the last value, which the nearest proxy has set, and no value from a peer that is not trusted.
    if (typeof forwardedProto === 'string' && forwardedProto.includes(',')) {
      const hops = (request.ips?.length ?? 1) - 1;
      headers['x-forwarded-proto'] = protocolOf(forwardedProto, String(forwardedFor), hops);
    }
    // Postgres texts cannot contain U+0000, so no row has such a name.
    if (pathOf(request).includes('%00')) sendInvalidUrl(request, reply);
    else done();
  });
  allowCrossOrigin(app);
  refuseUnknownWrites(app);
  app.setErrorHandler(sendRestError);

  for (const plugin of deps.plugins) await app.register(named('root', plugin));
  await app.register(named('api', apiScope(deps)), { prefix: '/api' });
  if (deps.graphql) await app.register(named('graphql scope', graphqlScope(deps, deps.graphql)));
  await app.register(named('console', consoleScope(deps)));
  const page = new ConsolePage(deps.clientRoot, deps.site, app.basePath);
  app.get(manifestPath, { onRequest: limitPages(deps) }, (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('application/manifest+json').send(JSON.stringify(page.manifest)),
  );
  app.setNotFoundHandler({ preHandler: limitPages(deps) }, (request, reply) =>
    isProgramPath(pathOf(request)) && !isModelPage(request)
      ? sendInvalidUrl(request, reply)
      : page.send(request, reply),
  );
  removeBasePath(app.server, app.basePath);
  return app;
}

/**
 * Gives a plugin the name that Fastify asks for twice. Without a name, Fastify compares the plugin with every loaded
 * module, which takes milliseconds for each of the fifty plugins.
 */
const named = (name: string, plugin: FastifyPluginAsync): FastifyPluginAsync =>
  Object.assign(plugin, { [Symbol.for('fastify.display-name')]: name });

const limitPages = ({ state, webRateLimit, site }: AppDeps): onRequestAsyncHookHandler =>
  withPage(limitByAddress(state, 'GW', webRateLimit), () => site().systemName);

const apiScope =
  (deps: AppDeps): FastifyPluginAsync =>
  async (app) => {
    await app.register(cookie);
    await app.register(compress, quickGzip);
    await app.register(helmet, jsonHeaders);
    acceptJsonBodies(app);
    app.addHook('onRequest', limitByAddress(deps.state, 'GA', deps.apiRateLimit));
    refuseWordsAsIds(app);
    limitAnonymousBodies(app, deps.authenticator ?? noActors, anonymousBodyLimit);
    app.addHook('onRequest', neverStore);
    app.addHook('onResponse', logRequest);
    for (const routes of deps.api) await app.register(named('routes', routes));
  };

const graphqlScope =
  (deps: AppDeps, graphql: FastifyPluginAsync): FastifyPluginAsync =>
  async (app) => {
    await app.register(cookie);
    await app.register(compress, quickGzip);
    await app.register(helmet, jsonHeaders);
    limitAnonymousBodies(app, deps.authenticator ?? noActors, anonymousGraphqlLimit);
    app.removeContentTypeParser('application/json');
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
      try {
        const parsed = parseBoundedJson(body as Buffer);
        if (parsed === undefined) throw new InvalidInputError('The body is not valid JSON');
        done(null, parsed);
      } catch (error) {
        done(error as Error);
      }
    });
    app.addHook('onRequest', neverStore);
    app.addHook('onResponse', logRequest);
    await app.register(named('graphql', graphql));
  };

const consoleScope =
  (deps: AppDeps): FastifyPluginAsync =>
  async (app) => {
    if (deps.clientRoot === null || !existsSync(deps.clientRoot)) return;
    await app.register(compress, { encodings: ['gzip'] });
    await app.register(helmet, pageHeaders);
    const limit = limitPages(deps);
    app.addHook('onRequest', async function (request, reply) {
      // A screen loads a dozen hashed files, which must not exhaust a visitor's limit.
      if (pathOf(request).startsWith('/assets/')) return;
      return limit.call(this, request, reply);
    });
    // One route for each file, so that unknown paths reach the not-found handler; the page itself is never a plain
    // file.
    await app.register(statics, {
      root: deps.clientRoot,
      wildcard: false,
      index: false,
      maxAge: '7d',
      globIgnore: ['**/index.html', '**/preloads.json', '**/*.{map,br,gz}'],
      // The build stores compressed copies of large files. The rest is compressed when served.
      preCompressed: true,
    });
  };

/**
 * Compresses a large response in half the time of the default level, at a tenth more bytes. Responses, unlike files,
 * are requested once.
 */
const quickGzip = { encodings: ['gzip'], zlibOptions: { level: 3 } } satisfies FastifyCompressOptions;

/** TLS ends at a proxy, which is responsible for Strict-Transport-Security. */
const pageHeaders = { contentSecurityPolicy: false, strictTransportSecurity: false } as const;

const jsonHeaders = {
  ...pageHeaders,
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
  },
} as const;

async function neverStore(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header('cache-control', 'no-store');
}

/** Logs the route pattern, not the URL, because queries may contain keys. */
async function logRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  request.log.info(
    {
      method: request.method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      milliseconds: Math.round(reply.elapsedTime),
    },
    'request',
  );
}

const clientErrors: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  // This also applies to connections that clients open ahead and do not use. Clients repeat a request that they send at
  // that moment.
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Responds to malformed or too slow HTTP, before a request exists. */
function answerClientError(
  this: FastifyInstance,
  error: Error & { code?: string },
  socket: NodeJS.WritableStream & {
    readonly destroyed?: boolean;
    destroy?(): void;
  },
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const status = clientErrors[error.code ?? ''] ?? '400 Bad Request';
  const body = JSON.stringify({
    error: { message: 'Bad request', type: 'invalid_request_error', param: '', code: '' },
  });
  if (socket.writable) {
    // The connection is closed as soon as the response is written. Otherwise a call that has already begun would wait
    // indefinitely for the rest of its body.
    const close = (): void => socket.destroy?.();
    socket.end(
      `HTTP/1.1 ${status}\r\nX-Oneapi-Request-Id: ${newRequestId()}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      close,
    );
  }
}
