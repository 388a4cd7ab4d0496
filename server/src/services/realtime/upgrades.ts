import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, isAppError } from '../../shared/errors.js';
import { CallFailedError } from '../../gateway/send/attempts.js';
import { retryHeaders } from '../../dialects/errors/failure.js';
import { openAIErrorBody } from '../../dialects/languages/openai/error.js';
import { failureOf } from './session-events.js';

/** The raw connection of a request that asks for a WebSocket. */
export interface Connection {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** A handshake that may be completed. */
export interface Accepted {
  upgrade(request: IncomingMessage, connection: Connection): void;
  /** Called when the client disconnected before the handshake. */
  abandon(): Promise<void> | void;
}

const connections = new WeakMap<IncomingMessage, Connection>();

const taken = new WeakSet<object>();

/** Routes handshakes through the app. Called once for all routes. */
export function takeUpgrades(app: FastifyInstance): void {
  if (taken.has(app.server)) return;
  taken.add(app.server);
  // Newer versions of Node ask this, and handle all other requests as if they offered nothing. Node 20 emits `upgrade` for them.
  Object.assign(app.server, { shouldUpgradeCallback: asksForWebSocket });
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    takeUpgrade(app, request, socket, head);
  });
}

const asksForWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket';

/**
 * Responds to a handshake: with a WebSocket, or with the error of `accept` as an HTTP response.
 * @param accept runs every check that can fail with a plain HTTP response; its signal is aborted when the client
 * disconnects
 */
export async function serveUpgrade(
  request: FastifyRequest,
  reply: FastifyReply,
  accept: (signal: AbortSignal) => Promise<Accepted>,
): Promise<FastifyReply | undefined> {
  const connection = connections.get(request.raw);
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  try {
    if (!connection) throw new AppError('INVALID_INPUT', 'This URL only accepts WebSocket');
    connection.socket.once('close', leave);
    // The client may have disconnected while hooks ran.
    if (connection.socket.destroyed) leave();
    const accepted = await accept(gone.signal);
    if (gone.signal.aborted) {
      await accepted.abandon();
      reply.hijack();
      return undefined;
    }
    reply.hijack();
    reply.raw.detachSocket(connection.socket as never);
    accepted.upgrade(request.raw, connection);
    return undefined;
  } catch (error) {
    const failure = failureOf(error);
    if (!(error instanceof CallFailedError) && !isAppError(error))
      request.log.error({ err: error }, 'session could not be opened');
    return await reply
      .status(connection ? failure.status : 426)
      .headers(retryHeaders(failure))
      .type('application/json; charset=utf-8')
      .send(openAIErrorBody(failure, request.id));
  } finally {
    connection?.socket.off('close', leave);
  }
}

/**
 * Handles a handshake as an ordinary request until it is accepted: it goes through the app, so that addresses, ids and
 * headers are handled alike. Clients that only offer HTTP/2 are served without the upgrade.
 */
function takeUpgrade(app: FastifyInstance, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  if (!asksForWebSocket(request)) return serveWithoutUpgrade(app, request, socket, head);
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
