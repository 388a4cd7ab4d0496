import '@fastify/cookie';
import type { FastifyRequest } from 'fastify';
import { AppError, ForbiddenError, InvalidInputError, isAppError, type ErrorCode } from '../../shared/errors.js';
import { maxInt32 } from '../../shared/limits.js';
import type { Actor, MaybeActor } from '../../shared/actor.js';

/** Authentication as the HTTP layer needs it. `console/sign-in/auth.service.ts` implements it. */
export interface Authenticator {
  /** @param cookie the session cookie's value */
  actorOfSession(cookie: string): Promise<Actor | null>;
  /** @param token the access token of the user, or a named one, without its scheme */
  actorOfAccessToken(token: string): Promise<Actor | null>;
  /**
   * Returns the caller as a member who acts for an organisation.
   * @throws AppError NOT_FOUND for an organisation of which the caller is no member
   */
  actorInOrganisation(actor: Actor, organisationId: number): Promise<Actor>;
}

export const sessionCookie = 'session';
export const userIdHeader = 'veloera-user';
export const olderUserIdHeader = 'new-api-user';
/** The id of the organisation for which the caller acts. */
export const organisationHeader = 'tollgate-organization';

/** The query parameter of pages that a browser opens as a link, which sends no header. */
export const organisationParameter = 'organization';

/** Returns the session's user, or null. Does not require the user-id header; for public endpoints. */
export async function sessionActor(request: FastifyRequest, authenticator: Authenticator): Promise<MaybeActor> {
  const cookie = request.cookies[sessionCookie];
  const actor = cookie ? await authenticator.actorOfSession(cookie) : null;
  return actor && { ...actor, ip: request.ip };
}

/**
 * Returns the user of the session or of an access token; null without either. The password for a proxy (`Basic`) is
 * neither.
 * @throws AppError INVALID_ACCESS_TOKEN, USER_BANNED, USER_ID_MISMATCH
 */
export async function visitorActor(
  request: FastifyRequest,
  authenticator: Authenticator,
  options: AuthenticateOptions = {},
): Promise<MaybeActor> {
  const actor = await sessionActor(request, authenticator);
  if (actor !== null) {
    const named = request.method === 'GET' && (request.query as Record<string, unknown>)[organisationParameter];
    return inOrganisation(request, authenticator, actor, named || undefined);
  }
  const { authorization } = request.headers;
  return authorization && !/^basic /i.test(authorization) ? authenticate(request, authenticator, options) : null;
}

const badCredentials: readonly ErrorCode[] = ['INVALID_ACCESS_TOKEN', 'USER_BANNED', 'USER_ID_MISMATCH'];

/**
 * Like `visitorActor`, for endpoints that serve everyone: invalid credentials count as none, because clients send API
 * keys to these endpoints too.
 */
export async function guestActor(request: FastifyRequest, authenticator: Authenticator): Promise<MaybeActor> {
  try {
    return await visitorActor(request, authenticator);
  } catch (error) {
    if (isAppError(error) && badCredentials.includes(error.code)) return null;
    throw error;
  }
}

export interface AuthenticateOptions {
  /**
   * Whether named access tokens are accepted. GraphQL accepts them, because their scopes are those of its fields, and so do
   * routes that state a scope.
   */
  readonly named?: boolean;
}

/**
 * Authenticates in the order of docs/reference/rest/conventions.md#authentication. The user-id header protects sessions
 * against cross-site requests: a foreign page can send the cookie but not the header. It cannot send an access token
 * either, so a token needs no header, and must agree with a header that is sent.
 * @throws AppError NOT_SIGNED_IN without credentials, and the codes of that order
 */
export async function authenticate(
  request: FastifyRequest,
  authenticator: Authenticator,
  { named = false }: AuthenticateOptions = {},
): Promise<Actor> {
  let actor = await sessionActor(request, authenticator);
  const fromSession = actor !== null;
  if (!actor) {
    const authorization = request.headers.authorization;
    if (!authorization) {
      throw new AppError(
        'NOT_SIGNED_IN',
        'No permission: not logged in and no access token provided (a session also needs the Veloera-User header)',
      );
    }
    const token = authorization.replace('Bearer ', '').trim();
    actor = await authenticator.actorOfAccessToken(token);
    if (!actor || (actor.scopes && !named))
      throw new AppError('INVALID_ACCESS_TOKEN', 'No permission: invalid access token');
    actor = { ...actor, ip: request.ip };
  }
  if (!actor.username.trim()) {
    throw new AppError('INVALID_ACCESS_TOKEN', 'No permission: invalid user info');
  }
  if (fromSession || userIdOf(request)) assertUserIdHeader(request, actor);
  if (actor.status !== 'enabled') throw new AppError('USER_BANNED', 'User is banned');
  return inOrganisation(request, authenticator, actor);
}

/** @throws AppError NOT_FOUND for an organisation of which the caller is no member, INVALID_INPUT */
async function inOrganisation(
  { headers }: FastifyRequest,
  authenticator: Authenticator,
  actor: Actor,
  named?: unknown,
): Promise<Actor> {
  const text = headers[organisationHeader] ?? named;
  if (text === undefined) return actor;
  const id = typeof text === 'string' && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : maxInt32 + 1;
  if (id > maxInt32) throw new InvalidInputError('Tollgate-Organization is the id of an organisation');
  return authenticator.actorInOrganisation(actor, id);
}

/**
 * Refuses changes by `GET` or without authentication that a foreign page sent: it can send neither the user-id header
 * nor `Sec-Fetch-Site: same-origin`.
 * @throws AppError USER_ID_MISMATCH
 */
export function assertFromOwnPage(request: FastifyRequest): void {
  if (request.headers[userIdHeader] ?? request.headers[olderUserIdHeader]) return;
  if (request.headers['sec-fetch-site'] === 'same-origin') return;
  throw new AppError('USER_ID_MISMATCH', 'No permission: Veloera-User not provided');
}

/**
 * Refuses changes by `POST` without authentication that a foreign page sent. Their body may have any content type, so a
 * form of another site could send it and sign its visitor in as the attacker. Only browsers send the header.
 * Extensions, which may call every site, are not pages.
 * @throws AppError INSUFFICIENT_PRIVILEGES
 */
export function assertNotForeignPage({ headers }: FastifyRequest): void {
  const from = headers['sec-fetch-site'];
  if ((from !== 'cross-site' && from !== 'same-site') || /^[a-z-]+-extension:/.test(headers.origin ?? '')) return;
  throw new ForbiddenError('A page of another site must not do this');
}

/** Requires the user-id header, against cross-site requests. @throws AppError USER_ID_MISMATCH */
export function assertUserIdHeader(request: FastifyRequest, actor: Actor): void {
  const text = userIdOf(request);
  if (!text) throw new AppError('USER_ID_MISMATCH', 'No permission: Veloera-User not provided');
  if (!/^-?\d+$/.test(text.trim())) throw new AppError('USER_ID_MISMATCH', 'No permission: malformed Veloera-User');
  if (Number(text) !== actor.id) {
    throw new AppError('USER_ID_MISMATCH', 'No permission: Veloera-User does not match the logged-in user');
  }
}

function userIdOf({ headers }: FastifyRequest): string | undefined {
  const given = headers[userIdHeader] ?? headers[olderUserIdHeader];
  return Array.isArray(given) ? given[0] : given;
}
