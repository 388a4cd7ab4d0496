import type { WebSocket } from 'ws';

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
