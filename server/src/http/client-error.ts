import type { FastifyInstance } from 'fastify';
import { newRequestId } from '../shared/ids.js';

/** Responds to malformed or too slow HTTP, before a request exists. */
export function answerClientError(
  this: FastifyInstance,
  error: Error & { code?: string },
  socket: NodeJS.WritableStream & {
    readonly destroyed?: boolean;
    destroy?(): void;
  },
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const body = JSON.stringify({
    error: { message: 'Bad request', type: 'invalid_request_error', param: '', code: '' },
  });
  if (socket.writable) {
    // Closed as soon as it is written; otherwise a call that already began would wait indefinitely for the rest of its
    // body.
    const close = (): void => socket.destroy?.();
    socket.end(
      `HTTP/1.1 ${status}\r\nX-Oneapi-Request-Id: ${newRequestId()}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      close,
    );
  }
}
