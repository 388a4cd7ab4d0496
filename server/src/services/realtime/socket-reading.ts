import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { BodyGrant } from '../../gateway/admit/body-budget.js';

/** Why reading is paused: the other side accepts no more, or the user exceeded the byte rate. */
type Reason = 'forwarding' | 'rate';

const paused = new WeakMap<WebSocket, Set<Reason>>();

/** Stops reading a WebSocket. It stays open, and data of the client waits in the connection. */
export function pauseReading(socket: WebSocket, reason: Reason): void {
  const reasons = paused.get(socket) ?? new Set();
  paused.set(socket, reasons.add(reason));
  // The connection below the WebSocket is not paused, because the WebSocket resumes it after each chunk.
  socket.pause();
}

/** Resumes reading a WebSocket, unless it is paused for another reason too. */
export function resumeReading(socket: WebSocket, reason: Reason): void {
  const reasons = paused.get(socket);
  reasons?.delete(reason);
  if (!reasons || reasons.size === 0) socket.resume();
}

/**
 * Counts the bytes of frames while they arrive. A client above its budget is disconnected. A client that sends faster
 * than allowed is read later, so that the frames of one user leave time for others.
 */
export function countFrames(socket: Duplex, client: WebSocket, grant: BodyGrant): void {
  socket.on('data', (chunk: Buffer) => {
    const wait = grant.delay(chunk.length);
    if (wait > 0) {
      pauseReading(client, 'rate');
      setTimeout(() => resumeReading(client, 'rate'), wait).unref();
    }
    try {
      grant.grow(chunk.length);
    } catch {
      grant.release();
      client.close(1013, 'too many large frames at once');
      client.terminate();
    }
  });
  client.on('message', () => grant.release());
  // An incomplete frame is released when its connection closes.
  client.once('close', () => grant.release());
}
