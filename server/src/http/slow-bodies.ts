import type { IncomingMessage, Server } from 'node:http';

export interface BodyPace {
  /** Milliseconds granted to every body, however slow it is. */
  readonly grace: number;
  /** Bytes per second, averaged since the request began; slower bodies are closed after the grace period. */
  readonly minRate: number;
  /** Milliseconds after which a body must be complete, however fast it is. */
  readonly maxTime: number;
}

interface OpenBody {
  readonly request: IncomingMessage;
  readonly startedAt: number;
  readonly bytesBefore: number;
}

/**
 * Closes connections whose request body arrives too slowly, on every route and before any key is checked: thousands of
 * dripping bodies would otherwise hold all file descriptors. Costs nothing while a body is read: the socket counts the
 * bytes, and one timer checks all open bodies.
 */
export function closeSlowBodies(server: Server, pace: BodyPace): void {
  const open = new Set<OpenBody>();
  server.on('request', (request: IncomingMessage) => {
    const { headers, socket } = request;
    if (headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > 0)) return;
    const body = { request, startedAt: performance.now(), bytesBefore: socket.bytesRead };
    open.add(body);
    request.once('close', () => open.delete(body));
    request.once('end', () => open.delete(body));
  });
  const timer = setInterval(
    () => {
      const now = performance.now();
      for (const body of open) {
        if (body.request.complete) open.delete(body);
        else if (isTooSlow(body, now, pace)) body.request.socket.destroy();
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
  // A body that waits unread in the socket's buffer is ours to read, not the client's to send.
  if (request.isPaused() || request.readableLength > 0) return false;
  return request.socket.bytesRead - bytesBefore < (pace.minRate * elapsed) / 1000;
}
