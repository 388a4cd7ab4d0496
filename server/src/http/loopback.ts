import { isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** A loopback connection that no proxy forwarded: behind a proxy on the same machine, every visitor is a loopback peer. */
export function isFromThisMachine({ raw, headers }: FastifyRequest): boolean {
  if (headers['x-forwarded-for'] ?? headers.forwarded ?? headers['x-real-ip'] ?? headers.via) return false;
  const address = (raw.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  return address === '::1' || (isIPv4(address) && address.startsWith('127.'));
}
