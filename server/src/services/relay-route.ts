import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { hijack, type Hijacked } from '../gateway/incoming-request.js';
import type { ApiOperation, ApiRole, ApiRoute } from '../platform/http/openapi/operation.js';
import type { RelayRoutesDeps } from './built-relay.js';

/**
 * A declared route of calls. Its schemas describe it in the reference and are never run: what serves a call reads the body
 * itself, once.
 */
export interface RelayRoute<Served> extends ApiRoute {
  readonly served: Served;
  /** Whether a `HEAD` would cost as much as the `GET`, and is therefore not exposed. */
  readonly withoutHead?: true;
}

type Described = Omit<ApiOperation, 'role'> & { readonly role?: ApiRole } & Pick<RelayRoute<unknown>, 'withoutHead'>;

/** Declares a route. Its caller has an API key unless it has another role. */
export const relayRoute = <Served>(
  route: ApiRoute['route'],
  served: Served,
  described: Described,
): RelayRoute<Served> => ({ role: 'key', ...described, route, served });

/** Serves a call that is taken over from Fastify. */
export type ServeCall = (deps: RelayRoutesDeps, call: Hijacked, request: FastifyRequest) => unknown;

/** Returns the handler of a route whose call writes the raw response. */
export const takeCall =
  (served: ServeCall, deps: RelayRoutesDeps): RouteHandlerMethod =>
  (request, reply) =>
    void served(deps, hijack(request, reply, deps.maxBodyBytes), request);

/** Adds routes below each of the prefixes. They are declared with the first one. */
export function addRelayRoutes<Served>(
  app: FastifyInstance,
  routes: ReadonlyArray<RelayRoute<Served>>,
  prefixes: readonly [string, ...string[]],
  handlerOf: (served: Served) => RouteHandlerMethod,
): void {
  for (const { route, served, withoutHead } of routes) {
    const [method = '', path = ''] = route.split(' ');
    for (const prefix of prefixes) {
      const url = prefix + path.slice(prefixes[0].length);
      app.route({ method, url, handler: handlerOf(served), ...(withoutHead && { exposeHeadRoute: false }) });
    }
  }
}
