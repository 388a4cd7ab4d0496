import '@fastify/cookie';
import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { usesHttps } from './secure-cookie.js';
import { cookiePath, knownBrowserCookie } from './session-cookie.js';

/** Identifies a browser before sign-in, for states of sign-ins in progress. Never used for permissions. */
const visitorCookie = 'visitor';
const maxAge = 3600;

/** Returns undefined if the cookie is absent or invalid. */
export function visitorOf(request: FastifyRequest): string | undefined {
  const given = request.cookies[visitorCookie];
  return given && /^[\w-]{22}$/.test(given) ? given : undefined;
}

/** Returns the browser's id, which is created if it is missing. */
export function ensureVisitor(request: FastifyRequest, reply: FastifyReply): string {
  const known = visitorOf(request);
  if (known) return known;
  const made = randomBytes(16).toString('base64url');
  const secure = usesHttps(request);
  reply.setCookie(visitorCookie, made, {
    path: cookiePath(request),
    maxAge,
    httpOnly: true,
    sameSite: 'strict',
    secure,
  });
  // Later reads in the same request find the new id here.
  request.cookies[visitorCookie] = made;
  return made;
}

/** Returns data of an unauthenticated request that the checks in `console/auth` need. */
export const challengeOf = (
  request: FastifyRequest,
  reply: FastifyReply,
  turnstile: string | null | undefined,
): { ip: string; turnstile?: string; knownBrowser?: string; visitor: () => string } => ({
  ip: request.ip,
  ...(request.cookies[knownBrowserCookie] ? { knownBrowser: request.cookies[knownBrowserCookie] } : {}),
  ...(turnstile ? { turnstile } : {}),
  visitor: () => ensureVisitor(request, reply),
});
