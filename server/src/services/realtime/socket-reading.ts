import type { WebSocket } from 'ws';

/** The other side accepts no more, or its user sent more bytes than they may in this time. */
type Reason = 'forwarding' | 'rate';

const paused = new WeakMap<WebSocket, Set<Reason>>();

/** Stops reading a WebSocket. It stays open: what the client sends waits in the connection. */
export function pauseReading(socket: WebSocket, reason: Reason): void {
  const reasons = paused.get(socket) ?? new Set();
  paused.set(socket, reasons.add(reason));
  // Not the connection below it, which the WebSocket resumes after each chunk.
  socket.pause();
}

/** Reads a WebSocket again, unless it is paused for another reason too. */
export function resumeReading(socket: WebSocket, reason: Reason): void {
  const reasons = paused.get(socket);
  reasons?.delete(reason);
  if (!reasons || reasons.size === 0) socket.resume();
}
