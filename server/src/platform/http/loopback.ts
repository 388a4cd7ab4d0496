import { isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * A loopback connection that no proxy forwarded: behind a proxy on the same machine, every visitor is a loopback peer. A
 * proxy without headers of its own sends the name of the site, or speaks HTTP/1.0 as nginx does by default. A page whose
 * name was made to point to this machine sends that name.
 */
export function isFromThisMachine({ raw, headers }: FastifyRequest): boolean {
  if (headers['x-forwarded-for'] ?? headers.forwarded ?? headers['x-real-ip'] ?? headers.via) return false;
  if (
    raw.httpVersion === '1.0' ||
    !/^(([\w-]+\.)*localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(headers.host ?? '')
  )
    return false;
  const address = (raw.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  return address === '::1' || (isIPv4(address) && address.startsWith('127.'));
}
