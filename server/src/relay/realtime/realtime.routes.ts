import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, isAppError } from '../../shared/errors.js';
import { CallFailedError } from '../attempt/attempts.js';
import { toCallFailure } from '../errors/failure.js';
import { openAIErrorBody } from '../protocols/openai/error.js';
import { incomingTask } from '../tasks/incoming-task.js';
import type { Realtime } from './realtime.js';

/** The raw connection of each request that asks for a WebSocket upgrade. */
const connections = new WeakMap<IncomingMessage, { readonly socket: Duplex; readonly head: Buffer }>();

/** `GET /v1/realtime` (docs/reference/relay/routes.md#endpoints and docs/reference/relay/realtime.md). */
export const realtimeRoutes =
  (realtime: Realtime): FastifyPluginAsync =>
  async (app) => {
    app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      takeUpgrade(app, request, socket, head);
    });
    for (const path of ['/v1/realtime', '/hf/v1/realtime']) {
      app.get(path, (request, reply) => serve(realtime, request, reply));
    }
  };

async function serve(
  realtime: Realtime,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const connection = connections.get(request.raw);
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  try {
    if (!connection) throw new AppError('INVALID_INPUT', 'This URL only accepts WebSocket');
    connection.socket.once('close', leave);
    const session = await realtime.open(incomingTask(request, 0), gone.signal);
    if (gone.signal.aborted) {
      await session.abandon();
      reply.hijack();
      return undefined;
    }
    reply.hijack();
    reply.raw.detachSocket(connection.socket as never);
    realtime.upgrade(request.raw, connection.socket, connection.head, session);
    return undefined;
  } catch (error) {
    const failed = error instanceof CallFailedError ? error : null;
    const cause = failed ? failed.cause : error;
    const failure = toCallFailure(cause, failed?.view);
    if (!failed && !isAppError(error)) request.log.error({ err: error }, 'session could not be opened');
    if (failure.retryAfter !== undefined) reply.header('retry-after', failure.retryAfter);
    return await reply
      .status(connection ? failure.status : 426)
      .type('application/json; charset=utf-8')
      .send(openAIErrorBody(failure, request.id));
  } finally {
    connection?.socket.off('close', leave);
  }
}

/**
 * A handshake is an ordinary request until it is accepted: it goes through the app, so that addresses, ids and headers
 * are handled alike. Clients that only offer HTTP/2 are served without the upgrade.
 */
function takeUpgrade(app: FastifyInstance, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  if ((request.headers.upgrade ?? '').toLowerCase() !== 'websocket')
    return serveWithoutUpgrade(app, request, socket, head);
  socket.on('error', () => socket.destroy());
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as never);
  response.once('finish', () => socket.end());
  connections.set(request, { socket, head });
  app.routing(request, response);
}

/** Returns the connection to the server, without the upgrade header. */
function serveWithoutUpgrade(app: FastifyInstance, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  const { rawHeaders } = request;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (!['upgrade', 'connection', 'http2-settings'].includes(name.toLowerCase()))
      lines.push(`${name}: ${rawHeaders[at + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  app.server.emit('connection', socket);
}
