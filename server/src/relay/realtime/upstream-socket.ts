import { WebSocket } from 'ws';
import type { OutboundGuard } from '../../outbound/outbound-guard.js';
import { AppError } from '../../shared/errors.js';
import { toUpstreamError } from '../protocols/openai/upstream-error.js';
import { UpstreamConnectionError } from '../upstream/exchange.js';
import type { RealtimeTarget } from './realtime-target.js';

export interface UpstreamSocketOptions {
  /** Offered to the provider, as the client offered them to us; never with a key in them. */
  readonly protocols: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly maxFrameBytes: number;
  readonly signal: AbortSignal;
}

const handshakeMilliseconds = 15_000;
const longestRefusal = 64 * 1024;

/**
 * Opens a provider's socket. It comes paused: nothing is lost before somebody listens.
 * @throws UpstreamError when the provider answers with a status, UpstreamConnectionError, AppError UPSTREAM_UNREACHABLE
 */
export function openUpstreamSocket(
  target: RealtimeTarget,
  guard: OutboundGuard,
  options: UpstreamSocketOptions,
): Promise<WebSocket> {
  checkAddress(target.url, guard);
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(target.url, [...options.protocols], {
      headers: { ...options.headers, ...target.headers },
      handshakeTimeout: handshakeMilliseconds,
      maxPayload: options.maxFrameBytes,
      perMessageDeflate: false,
      followRedirects: false,
      lookup: guard.lookup('admin'),
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
        if (length <= longestRefusal) pieces.push(piece);
      });
      response.on('close', () => {
        reject(toUpstreamError(response.statusCode ?? 502, Buffer.concat(pieces)));
        socket.terminate();
      });
    });
    // Stays: a socket that breaks later is told by `close`, and must not end the process.
    socket.on('error', (error) =>
      reject(new UpstreamConnectionError(false, /timed? ?out/i.test(error.message), error)),
    );
  });
}

function checkAddress(url: URL, guard: OutboundGuard): void {
  const plain = new URL(url);
  plain.protocol = url.protocol === 'wss:' ? 'https:' : 'http:';
  try {
    guard.checkUrl(plain, 'admin');
  } catch (error) {
    throw new AppError('UPSTREAM_UNREACHABLE', 'The address of the channel may not be called', { cause: error });
  }
}
