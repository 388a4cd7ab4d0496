import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, isIP, type Socket } from 'node:net';
import { SocksClient } from 'socks';
import type { OutboundGuard } from '../../platform/outbound/outbound-guard.js';
import { bareHostOf, proxyCredentials } from './proxy-address.js';

/** The destination of a tunnel. */
export interface TunnelEnd {
  /** The host without brackets. */
  readonly host: string;
  readonly port: number;
}

export interface TunnelOptions {
  readonly guard: OutboundGuard;
  /** Milliseconds for the whole process. */
  readonly milliseconds: number;
  readonly signal: AbortSignal;
}

/**
 * Opens a connection through an admin's proxy, for protocols that cannot use a connection pool. The proxy resolves the
 * name.
 * @param proxy http, https, socks5 or socks5h, as returned by `toProxyAddress`
 * @throws Error when the proxy is unreachable, refuses, or takes too long
 */
export async function openTunnel(proxy: URL, end: TunnelEnd, options: TunnelOptions): Promise<Socket> {
  const limits = AbortSignal.any([options.signal, AbortSignal.timeout(options.milliseconds)]);
  const open = proxy.protocol.startsWith('socks5') ? openBySocks : openByConnect;
  return open(proxy, end, options.guard, limits);
}

function openByConnect(proxy: URL, end: TunnelEnd, guard: OutboundGuard, signal: AbortSignal): Promise<Socket> {
  const { username, password } = proxyCredentials(proxy);
  const authority = `${isIP(end.host) === 6 ? `[${end.host}]` : end.host}:${end.port}`;
  const login = Buffer.from(`${username}:${password}`).toString('base64');
  return new Promise((resolve, reject) => {
    const send = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send({
      method: 'CONNECT',
      host: bareHostOf(proxy),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      path: authority,
      headers: { host: authority, ...(username === '' ? {} : { 'proxy-authorization': `Basic ${login}` }) },
      lookup: guard.lookup('admin'),
      agent: false,
      signal,
    });
    request.once('error', reject);
    request.once('connect', (response, socket: Socket, head) => {
      if (response.statusCode !== 200) {
        socket.destroy();
        return reject(new Error(`the proxy returned ${response.statusCode}`));
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.end();
  });
}

/** Opens a tunnel by SOCKS 5. The socket is opened here, so that the guard checks the address that is dialled. */
async function openBySocks(proxy: URL, end: TunnelEnd, guard: OutboundGuard, signal: AbortSignal): Promise<Socket> {
  const { username, password } = proxyCredentials(proxy);
  const address = { host: bareHostOf(proxy), port: Number(proxy.port || 1080) };
  const socket = connect({ ...address, lookup: guard.lookup('admin') });
  const leave = (): void => void socket.destroy(new Error('the proxy did not respond in time'));
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  try {
    await once(socket, 'connect');
    await SocksClient.createConnection({
      proxy: { ...address, type: 5, ...(username === '' ? {} : { userId: username, password }) },
      command: 'connect',
      destination: end,
      existing_socket: socket,
    }).catch((error: unknown) => {
      throw new Error(`the proxy did not connect: ${(error as Error).message}`, { cause: error });
    });
    return socket;
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
