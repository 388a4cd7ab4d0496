import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { AccessScope, Actor, MaybeActor } from '../../shared/actor.js';
import { entryOf, type Permission } from '../../shared/permission.js';
import { idempotencyKeyOf } from './idempotency-key.js';
import type { ApiOperation, ApiRole, ApiRoute, Wire } from './openapi/operation.js';
import { queryId } from './query.js';
import { RestAnswer, withMessage, type RestContext, type RestHandlers } from './rest.js';

/** How the caller is authenticated, as in `RestHandlers`; `may` names permissions of which the caller holds one. */
type Caller = Exclude<keyof RestHandlers, 'may'> | { readonly may: Permission | readonly Permission[] };

type ActorOf<By extends Caller> = By extends 'open'
  ? null
  : By extends 'session' | 'visitor' | 'guest'
    ? MaybeActor
    : Actor;

type Shape = Readonly<Record<string, z.ZodType>>;

/** A request whose query and body fit the schemas of its route. */
export interface RouteContext<Query, Body, A extends MaybeActor> extends Omit<RestContext<A>, 'query'> {
  /** The id in the path; 0, which no row has, if it is not a valid id. */
  readonly id: number;
  readonly query: Query;
  /** The first value of every parameter, also of those that the route does not list. */
  readonly rawQuery: RestContext<A>['query'];
  readonly body: Body;
  /** The `Idempotency-Key`, if the route has `once`. */
  readonly idempotencyKey: string | null;
}

/** How a route is authenticated, validated and handled, beside what the reference says about it. */
interface RouteRules<Deps, By extends Caller, Query extends Shape, Body extends z.ZodType, Data extends z.ZodType> {
  readonly caller: By;
  /** Opens the route to named access tokens that have this scope. Only for users, visitors, and callers with a permission. */
  readonly scope?: AccessScope;
  /** The role in the reference, if it is not that of `caller`. */
  readonly role?: ApiRole;
  readonly query?: Query;
  /**
   * The schema of the body; with several, the one that the query or the given body selects. The reference shows that of an
   * empty query without a body.
   */
  readonly body?: Body | ((query: z.output<z.ZodObject<Query>>, given: unknown) => Body);
  /** `data` of `{ success: true, message, data }`. Absent: the response has no data. */
  readonly data?: Data;
  /** The complete JSON body of a success, if it is not the usual envelope. */
  readonly response?: Data;
  /** `message` of a success. */
  readonly message?: string;
  /** The response to an error, where clients read a form of their own. Undefined: the usual one. */
  readonly ownFailure?: (
    error: unknown,
    context: Pick<RestContext<MaybeActor>, 'request' | 'reply'>,
  ) => RestAnswer | undefined;
  readonly bodyLimit?: number;
  /** Whether the `GET` changes state. `HEAD` would change it too, and is therefore not exposed. */
  readonly withoutHead?: true;
  /** Runs before the body is validated. A `RestAnswer` that it returns ends the request. */
  readonly before?: (
    deps: Deps,
    context: Omit<RouteContext<z.output<z.ZodObject<Query>>, unknown, ActorOf<By>>, 'body'>,
  ) => unknown;
  readonly handle: (
    deps: Deps,
    context: RouteContext<z.output<z.ZodObject<Query>>, z.output<Body>, ActorOf<By>>,
  ) => Promise<Wire<Data> | RestAnswer>;
}

type Described = Omit<ApiOperation, 'role' | 'query' | 'body' | 'data' | 'response'>;

/** A declared route. Its handler fits its own schemas, so nothing else can call it. */
export interface RestRoute<Deps> extends ApiRoute {
  readonly rules: RouteRules<Deps, Caller, Shape, z.ZodType, z.ZodType>;
}

/**
 * Returns the function that declares routes whose handlers need `Deps`. A declaration has the schemas of query, body and
 * response: requests are validated with them, the types of the handler and the OpenAPI document follow from them.
 * @param isScoped opens the routes to named access tokens that have the scope which such a field of GraphQL needs
 */
export const routesFor =
  <Deps>({ isScoped = false }: { readonly isScoped?: boolean } = {}) =>
  <
    By extends Caller,
    Query extends Shape = Record<string, never>,
    Body extends z.ZodType = z.ZodUndefined,
    Data extends z.ZodType = z.ZodVoid,
  >(
    route: ApiRoute['route'],
    rules: Described & RouteRules<Deps, By, Query, Body, Data>,
  ): RestRoute<Deps> => {
    const { body, caller, role = roleOf(caller), ...described } = rules;
    const shown = typeof body === 'function' ? body({} as z.output<z.ZodObject<Query>>, undefined) : body;
    const scope = rules.scope ?? (isScoped ? usualScope(route, caller) : undefined);
    const scoped = { ...rules, ...(scope && { scope }) } as unknown as RestRoute<Deps>['rules'];
    return { ...described, route, role, body: shown, rules: scoped };
  };

/** Returns the scope of a route: those that read need one of reading, all others WRITE. */
const usualScope = (route: ApiRoute['route'], caller: Caller): AccessScope =>
  !route.startsWith('GET ') ? 'WRITE' : typeof caller === 'string' ? 'ACCOUNT_READ' : 'ADMIN_READ';

const roles = {
  open: 'anonymous',
  guest: 'anonymous',
  visitor: 'anonymous',
  session: 'anonymous',
  user: 'common',
  keyed: 'common',
  root: 'root',
} as const satisfies Record<Extract<Caller, string>, ApiRole>;

const roleOf = (caller: Caller): ApiRole =>
  typeof caller === 'string'
    ? roles[caller]
    : [caller.may].flat().some((one) => entryOf(one).least === 'admin')
      ? 'admin'
      : 'root';

/** Serves declared routes. */
export const restRoutes =
  <Deps>(routes: ReadonlyArray<RestRoute<Deps>>, deps: Deps, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    for (const { route, once, rules } of routes) {
      const [method = '', path = ''] = route.split(' ');
      const { caller, bodyLimit, withoutHead } = rules;
      const query = z.object(rules.query ?? {});
      const handler = (given: RestContext<MaybeActor>): Promise<unknown> =>
        serve(rules, deps, given, () => ({
          ...given,
          id: queryId(given.params.id),
          query: query.parse(given.query),
          rawQuery: given.query,
          idempotencyKey: once ? idempotencyKeyOf(given.request) : null,
        }));
      app.route({
        method,
        url: path.slice(app.prefix.length),
        ...(bodyLimit === undefined ? {} : { bodyLimit }),
        ...(caller === 'open' && bodyLimit !== undefined ? { config: { anonymousBodyLimit: bodyLimit } } : {}),
        ...(withoutHead && { exposeHeadRoute: false }),
        handler: handlerOf(rest, rules, handler),
      });
    }
  };

function handlerOf<Deps>(
  rest: RestHandlers,
  { caller, scope }: RestRoute<Deps>['rules'],
  handler: (given: RestContext<MaybeActor>) => Promise<unknown>,
): ReturnType<RestHandlers['user']> {
  if (caller === 'user' || caller === 'visitor') return rest[caller](handler, scope);
  return typeof caller === 'string' ? rest[caller](handler) : rest.may(caller.may, handler, scope);
}

async function serve<Deps>(
  { before, body: bodyRule, handle, response, message, ownFailure }: RestRoute<Deps>['rules'],
  deps: Deps,
  given: RestContext<MaybeActor>,
  read: () => RouteContext<Readonly<Record<string, unknown>>, unknown, MaybeActor>,
): Promise<unknown> {
  try {
    const context = read();
    const ended = await before?.(deps, context);
    if (ended instanceof RestAnswer) return ended;
    const schema = typeof bodyRule === 'function' ? bodyRule(context.query, context.body) : bodyRule;
    const result = await handle(deps, { ...context, body: schema?.parse(context.body) });
    if (result instanceof RestAnswer) return result;
    if (response) return new RestAnswer(result);
    return message === undefined ? result : withMessage(message, result);
  } catch (error) {
    const own = ownFailure?.(error, given);
    if (own) return own;
    throw error;
  }
}
