import { isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * Whether a loopback connection was not forwarded by a proxy. Behind a proxy on the same machine, every visitor has a
 * loopback address. A proxy that adds no headers sends the site's name as host, or speaks HTTP/1.0, which is nginx's
 * default. A page whose name resolves to this machine sends that name.
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
