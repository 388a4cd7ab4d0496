import '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionCookie } from './authenticate.js';
import { usesHttps } from './secure-cookie.js';

/** 30 days, as the session itself. */
const maxAge = 2_592_000;

export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, secret: string): void {
  const secure = usesHttps(request);
  reply.setCookie(sessionCookie, secret, { path: '/', maxAge, httpOnly: true, sameSite: 'strict', secure });
}

export function clearSessionCookie(reply: FastifyReply): void {
  reply.clearCookie(sessionCookie, { path: '/', httpOnly: true, sameSite: 'strict' });
}

/** Address and browser that a session stores. */
export const originOf = (request: FastifyRequest): { ip: string; userAgent: string } => ({
  ip: request.ip,
  userAgent: request.headers['user-agent'] ?? '',
});
