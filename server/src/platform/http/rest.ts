import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import {
  requirePermission,
  requireRole,
  requireScope,
  type AccessScope,
  type Actor,
  type MaybeActor,
  type Role,
} from '../../shared/actor.js';
import type { Permission } from '../../shared/permission.js';
import {
  authenticate,
  guestActor,
  sessionActor,
  sessionCookie,
  visitorActor,
  type Authenticator,
} from './authenticate.js';
import { sendRestError } from './rest-error.js';

/** Actor, request and reply of a REST handler. */
export interface RestContext<A extends MaybeActor> {
  readonly actor: A;
  readonly params: Record<string, string | undefined>;
  readonly query: Record<string, string | undefined>;
  readonly body: unknown;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A response that is not `{ success: true, message: '', data }`: a few endpoints have their own shape. */
export class RestAnswer {
  constructor(
    readonly body: unknown,
    readonly status = 200,
  ) {}
}

/** `{ success: true, message, data }` with its own message; `data` is left out when undefined. */
export const withMessage = (message: string, data?: unknown): RestAnswer =>
  new RestAnswer({ success: true, message, ...(data === undefined ? {} : { data }) });

/** Returns the caller of an API key. */
type ActorOfKey = (key: string, address: string) => Promise<Actor>;

/**
 * Creates REST handlers. `user` endpoints follow the decision order of
 * docs/reference/rest/conventions.md#authentication (services check roles); `session` endpoints read only the cookie;
 * `open` ones do not authenticate. The handler's result becomes `data`; undefined gives only `{ success, message }`.
 */
export function restHandlers(authenticator: Authenticator, actorOfKey: ActorOfKey) {
  const wrap =
    <A extends MaybeActor>(
      whoAsks: (request: FastifyRequest) => Promise<A>,
      handler: (context: RestContext<A>) => Promise<unknown>,
    ): RouteHandlerMethod =>
    async (request, reply) => {
      try {
        const actor = await whoAsks(request);
        const result = await handler({
          actor,
          params: request.params as RestContext<A>['params'],
          query: firstValues(request.query),
          body: request.body,
          request,
          reply,
        });
        if (reply.sent) return undefined;
        if (result instanceof RestAnswer) return await reply.status(result.status).send(result.body);
        return await reply.send(
          result === undefined ? { success: true, message: '' } : { success: true, message: '', data: result },
        );
      } catch (error) {
        return await sendRestError(error, request, reply);
      }
    };

  const atLeast =
    (role: Role) =>
    async (request: FastifyRequest): Promise<Actor> =>
      requireRole(await authenticate(request, authenticator), role);

  /** @param scope opens the endpoint to named access tokens that have it */
  const scoped = async (request: FastifyRequest, scope?: AccessScope): Promise<Actor> => {
    const actor = await authenticate(request, authenticator, { named: scope !== undefined });
    if (scope) requireScope(actor, scope);
    return actor;
  };

  return {
    user: (handler: (context: RestContext<Actor>) => Promise<unknown>, scope?: AccessScope) =>
      wrap((request) => scoped(request, scope), handler),
    /** Serves callers with a session or with an API key (`Bearer sk-…`); `actorOfKey` decides which keys. */
    keyed: (handler: (context: RestContext<Actor>) => Promise<unknown>) =>
      wrap((request) => {
        const { authorization = '' } = request.headers;
        const isKey = /^(Bearer\s+)?sk-/i.test(authorization) && !request.cookies[sessionCookie];
        return isKey ? actorOfKey(authorization, request.ip) : authenticate(request, authenticator);
      }, handler),
    // Services decide permissions. These two only check them before the input is validated.
    /** Handles a route for callers who hold one of the permissions. */
    may: (
      anyOf: Permission | readonly Permission[],
      handler: (context: RestContext<Actor>) => Promise<unknown>,
      scope?: AccessScope,
    ) => wrap(async (request) => requirePermission(await scoped(request, scope), ...[anyOf].flat()), handler),
    root: (handler: (context: RestContext<Actor>) => Promise<unknown>) => wrap(atLeast('root'), handler),
    session: (handler: (context: RestContext<MaybeActor>) => Promise<unknown>) =>
      wrap((request) => sessionActor(request, authenticator), handler),
    /** For everyone. The actor is null without a session and an access token. */
    visitor: (handler: (context: RestContext<MaybeActor>) => Promise<unknown>, scope?: AccessScope) =>
      wrap(async (request) => {
        const actor = await visitorActor(request, authenticator, { named: scope !== undefined });
        if (scope) requireScope(actor, scope);
        return actor;
      }, handler),
    /** For everyone, and never refused. The actor is null without a session and a valid access token. */
    guest: (handler: (context: RestContext<MaybeActor>) => Promise<unknown>) =>
      wrap((request) => guestActor(request, authenticator), handler),
    open: (handler: (context: RestContext<null>) => Promise<unknown>) => wrap(() => Promise.resolve(null), handler),
  };
}

export type RestHandlers = ReturnType<typeof restHandlers>;

/** Only the first value of a repeated key counts. */
function firstValues(query: unknown): Record<string, string | undefined> {
  const entries = Object.entries((query ?? {}) as Record<string, string | string[]>);
  return Object.fromEntries(entries.map(([key, value]) => [key, Array.isArray(value) ? value[0] : value]));
}
