import '@fastify/cookie';
import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { usesHttps } from './secure-cookie.js';

/** Tells one browser from another before anybody has signed in: for the state of a sign-in under way, never for rights. */
const visitorCookie = 'visitor';
const maxAge = 3600;

/** Absent, or not one of ours: undefined. */
export function visitorOf(request: FastifyRequest): string | undefined {
  const given = request.cookies[visitorCookie];
  return given && /^[\w-]{22}$/.test(given) ? given : undefined;
}

/** The browser's word, a new one when it has none. */
export function ensureVisitor(request: FastifyRequest, reply: FastifyReply): string {
  const known = visitorOf(request);
  if (known) return known;
  const made = randomBytes(16).toString('base64url');
  const secure = usesHttps(request);
  reply.setCookie(visitorCookie, made, { path: '/', maxAge, httpOnly: true, sameSite: 'strict', secure });
  // for whoever asks again in the same request
  request.cookies[visitorCookie] = made;
  return made;
}

/** What a stranger shows before he may try something; `modules/auth` judges it. */
export const challengeOf = (
  request: FastifyRequest,
  reply: FastifyReply,
  turnstile: string | null | undefined,
): { ip: string; turnstile?: string; visitor: () => string } => ({
  ip: request.ip,
  ...(turnstile ? { turnstile } : {}),
  visitor: () => ensureVisitor(request, reply),
});
