import type { FastifyInstance } from 'fastify';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { BlockList, isIPv6, type Socket } from 'node:net';
import { addRange } from '../outbound/address-class.js';
import { addressKey } from '../../shared/address.js';
import { secondsIn } from '../../shared/clock.js';

/**
 * Serves a request without the framework.
 * @returns false if the framework has to serve it
 */
export type ServeDirectly = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Offers every request to `serve` before Fastify gets it (docs/adr/0066-hot-calls-are-served-before-the-framework.md). Call
 * it before any other listener is added.
 * @param trustsProxies Fastify also gets the requests that a proxy forwards, whose address it reads from their headers
 */
export function serveDirectly(app: FastifyInstance, serve: ServeDirectly, trustsProxies: boolean): void {
  const { server } = app;
  const [framework] = server.listeners('request') as RequestListener[];
  if (!framework) throw new Error('the server has no request listener');
  server.removeListener('request', framework);
  server.on('request', (request, response) => {
    const forwarded = trustsProxies && request.headers['x-forwarded-for'] !== undefined;
    if (forwarded || !serve(request, response)) framework.call(server, request, response);
  });
}

export interface ConnectionLimits {
  /**
   * Maximum number of client connections. 0: the descriptor limit of the process minus a reserve for databases,
   * upstreams and files.
   */
  readonly total: number;
  /** Maximum number of client connections per address (per /64 for IPv6); 0: half of `total`. */
  readonly perAddress: number;
}

/** Used where the descriptor limit cannot be read (macOS, Windows). */
const defaultDescriptors = 8192;
/** A relayed call needs a second descriptor for its upstream, and the databases and files need some. */
const reserve = 200;

/** Names that TRUSTED_PROXIES may use for whole ranges. */
const namedRanges: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/**
 * Keeps file descriptors free for the server itself, and for other clients when one address opens as many connections
 * as it can. Connections of trusted proxies are not counted by address, because all clients share them.
 */
export function limitConnections(server: Server, limits: ConnectionLimits, trustedProxies: readonly string[]): void {
  const total = limits.total || Math.max(50, Math.floor((maxDescriptors() - reserve) / 2));
  const perAddress = limits.perAddress || Math.max(25, Math.floor(total / 2));
  server.maxConnections = total;
  const proxies = new BlockList();
  for (const range of trustedProxies.flatMap((entry) => namedRanges[entry] ?? [entry])) addRange(proxies, range);
  const counts = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
    if (address === '' || proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return;
    const key = addressKey(address);
    const count = (counts.get(key) ?? 0) + 1;
    if (count > perAddress) {
      socket.destroy();
      return;
    }
    counts.set(key, count);
    // Closes once; `once` would keep 150 bytes more for each connection.
    socket.on('close', () => {
      const left = (counts.get(key) ?? 1) - 1;
      if (left > 0) counts.set(key, left);
      else counts.delete(key);
    });
  });
}

function maxDescriptors(): number {
  try {
    const line = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return line ? Number(line[1]) : defaultDescriptors;
  } catch {
    return defaultDescriptors;
  }
}

export interface BodyPace {
  /** Milliseconds that every body gets, even a slow one. */
  readonly grace: number;
  /** Bytes per second, averaged since the request began; slower bodies are closed after the grace period. */
  readonly minRate: number;
  /** Milliseconds after which a body must be complete, even a fast one. */
  readonly maxTime: number;
}

interface OpenBody {
  readonly request: IncomingMessage;
  readonly startedAt: number;
  readonly bytesBefore: number;
}

/**
 * Closes connections whose request body arrives too slowly, on every route and before any key is checked: thousands of
 * slow bodies would otherwise use up all file descriptors. No listener is needed while a body is read: the socket
 * counts the bytes, and one timer checks the latest body of each connection. The next body of a connection begins when
 * the previous one is complete.
 */
export function closeSlowBodies(server: Server, pace: BodyPace): void {
  const latest = new Map<Socket, OpenBody>();
  server.on('request', (request: IncomingMessage) => {
    const { headers, socket } = request;
    if (headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > 0)) return;
    latest.set(socket, { request, startedAt: performance.now(), bytesBefore: socket.bytesRead });
  });
  const timer = setInterval(
    () => {
      const now = performance.now();
      for (const [socket, body] of latest) {
        if (body.request.complete || body.request.destroyed) latest.delete(socket);
        else if (isTooSlow(body, now, pace)) socket.destroy();
      }
    },
    Math.max(100, Math.min(5000, pace.grace / 3)),
  );
  timer.unref();
  server.once('close', () => clearInterval(timer));
}

function isTooSlow({ request, startedAt, bytesBefore }: OpenBody, now: number, pace: BodyPace): boolean {
  const elapsed = now - startedAt;
  if (elapsed <= pace.grace) return false;
  if (elapsed > pace.maxTime) return true;
  // A body that waits unread in the socket's buffer waits for this server, not for the client.
  if (request.isPaused() || request.readableLength > 0) return false;
  return request.socket.bytesRead - bytesBefore < pace.minRate * secondsIn(elapsed);
}
