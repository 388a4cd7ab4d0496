import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { WebSocket, type ClientOptions } from 'ws';
import type { OutboundGuard } from '../../platform/outbound/outbound-guard.js';
import { AppError } from '../../shared/errors.js';
import { toUpstreamError } from '../../dialects/errors/read-upstream-error.js';
import { UpstreamConnectionError } from '../../gateway/upstream/exchange.js';
import { bareHostOf, toProxyAddress } from '../../gateway/upstream/proxy-address.js';
import { openTunnel } from '../../gateway/upstream/tunnel.js';
import type { RealtimeTarget } from './realtime-target.js';

/** Options of a connection to a provider. */
export interface UpstreamSocketOptions {
  /** Subprotocols that are offered to the provider: those that the client offered, without any key. */
  readonly protocols: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly maxFrameBytes: number;
  readonly signal: AbortSignal;
}

const handshakeMilliseconds = 15_000;
const maxRefusal = 64 * 1024;

/**
 * Opens a provider's WebSocket. It starts paused, so that nothing is lost before listeners are attached.
 * @throws UpstreamError when the provider responds with an HTTP status, UpstreamConnectionError, AppError
 * UPSTREAM_UNREACHABLE
 */
export async function openUpstreamSocket(
  target: RealtimeTarget,
  guard: OutboundGuard,
  options: UpstreamSocketOptions,
): Promise<WebSocket> {
  checkAddress(target.url, guard);
  const way = target.proxy ? await wayThrough(target.proxy, target.url, guard, options.signal) : null;
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(target.url, [...options.protocols], {
      headers: { ...options.headers, ...target.headers },
      handshakeTimeout: handshakeMilliseconds,
      maxPayload: options.maxFrameBytes,
      perMessageDeflate: false,
      followRedirects: false,
      ...(way ?? { lookup: guard.lookup('admin') }),
    });
    const leave = (): void => socket.terminate();
    options.signal.addEventListener('abort', leave, { once: true });
    socket.once('open', () => {
      socket.pause();
      options.signal.removeEventListener('abort', leave);
      resolve(socket);
    });
    socket.once('unexpected-response', (_request, response) => {
      const pieces: Buffer[] = [];
      let length = 0;
      response.on('data', (piece: Buffer) => {
        length += piece.length;
        if (length <= maxRefusal) pieces.push(piece);
      });
      response.on('close', () => {
        reject(toUpstreamError(response.statusCode ?? 502, Buffer.concat(pieces)));
        socket.terminate();
      });
    });
    // The listener stays attached: a later failure is reported by `close`, and must not end the process.
    socket.on('error', (error) =>
      reject(new UpstreamConnectionError(false, /timed? ?out/i.test(error.message), error)),
    );
  });
}

/**
 * Returns the connection for the WebSocket.
 * @throws UpstreamConnectionError, AppError UPSTREAM_UNREACHABLE
 */
async function wayThrough(
  text: string,
  url: URL,
  guard: OutboundGuard,
  signal: AbortSignal,
): Promise<Pick<ClientOptions, 'createConnection'>> {
  const proxy = toProxyAddress(text);
  checkAddress(new URL(`http://${proxy.host}`), guard);
  const isSecure = url.protocol === 'wss:';
  const host = bareHostOf(url);
  const end = { host, port: Number(url.port || (isSecure ? 443 : 80)) };
  let socket: Socket;
  try {
    socket = await openTunnel(proxy, end, { guard, signal, milliseconds: handshakeMilliseconds });
  } catch (error) {
    const cause = error instanceof Error ? error : new Error(String(error));
    throw new UpstreamConnectionError(false, /timed? ?out|in time/i.test(cause.message), cause);
  }
  const secured = { socket, ALPNProtocols: ['http/1.1'], ...(isIP(host) === 0 ? { servername: host } : {}) };
  return { createConnection: () => (isSecure ? connectTls(secured) : socket) };
}

function checkAddress(url: URL, guard: OutboundGuard): void {
  const plain = new URL(url);
  if (url.protocol.startsWith('ws')) plain.protocol = url.protocol === 'wss:' ? 'https:' : 'http:';
  try {
    guard.checkUrl(plain, 'admin');
  } catch (error) {
    throw new AppError('UPSTREAM_UNREACHABLE', "The channel's URL must not be called", { cause: error });
  }
}
