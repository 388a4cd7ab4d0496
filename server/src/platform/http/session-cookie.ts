import '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionCookie } from './authenticate.js';
import { usesHttps } from './secure-cookie.js';

/** 30 days in seconds, as for the session itself. */
const maxAge = 2_592_000;

/** Marks a browser that was signed in before. It grants no access (`console/auth/known-browser.ts`). */
export const knownBrowserCookie = 'known-browser';
/** 180 days in seconds, as for the mark inside the cookie. */
const knownBrowserMaxAge = 15_552_000;

/** Sets the cookies of a sign-in: the session, and the mark of a known browser once the sign-in is complete. */
export function setSignInCookies(
  request: FastifyRequest,
  reply: FastifyReply,
  { secret, knownBrowser }: { readonly secret: string; readonly knownBrowser: string | null },
): void {
  const options = {
    path: cookiePath(request),
    httpOnly: true,
    sameSite: 'strict',
    secure: usesHttps(request),
  } as const;
  reply.setCookie(sessionCookie, secret, { ...options, maxAge });
  if (knownBrowser !== null)
    reply.setCookie(knownBrowserCookie, knownBrowser, { ...options, maxAge: knownBrowserMaxAge });
}

export function clearSessionCookie(reply: FastifyReply): void {
  reply.clearCookie(sessionCookie, { path: cookiePath(reply), httpOnly: true, sameSite: 'strict' });
}

/** Cookies of a site below a path are not sent to other sites of its host. */
export const cookiePath = ({ server }: Pick<FastifyRequest, 'server'>): string => server.basePath || '/';

/** Returns the origin of a sign-in, and the page from which it comes. */
export const signInRequestOf = (
  request: FastifyRequest,
): ReturnType<typeof originOf> & { pageOrigin: string | undefined } => ({
  ...originOf(request),
  pageOrigin: request.headers.origin,
});

/** Address and browser that a session stores. */
export const originOf = (request: FastifyRequest): { ip: string; userAgent: string; knownBrowser?: string } => ({
  ip: request.ip,
  userAgent: request.headers['user-agent'] ?? '',
  ...(request.cookies[knownBrowserCookie] ? { knownBrowser: request.cookies[knownBrowserCookie] } : {}),
});
