import { errors, WebSocket, type Dispatcher } from 'undici';
import type { SocketExchange, UpstreamRequest } from '../../dialects/contract.js';
import type { Exchange } from './exchange.js';

interface Timeouts {
  /** Milliseconds from the beginning to the first message. */
  readonly firstByte: number;
  /** Milliseconds between two messages. */
  readonly idle: number;
}

/**
 * Makes a call through a WebSocket look like an HTTP request: the first message is sent when the socket is open, and
 * received messages form the response body. A WebSocket cannot be paused, so the data of a slow client is buffered
 * here; providers with this protocol only send text.
 * @param url as an http or https URL
 */
export function openSocket(
  exchange: Exchange,
  url: URL,
  { body, headers }: UpstreamRequest,
  call: SocketExchange,
  { firstByte, idle }: Timeouts,
  dispatcher: Dispatcher,
): void {
  const socket = new WebSocket(url.href.replace(/^http/, 'ws'), { dispatcher, headers });
  const { form } = call;
  let timer = setTimeout(() => fail(new errors.HeadersTimeoutError()), firstByte);
  let received = 0;
  let ended = false;

  const close = (): void => {
    ended = true;
    clearTimeout(timer);
    if (socket.readyState === WebSocket.OPEN || socket.readyState === WebSocket.CONNECTING) socket.close();
  };
  const fail = (error: Error): void => {
    if (ended) return;
    close();
    exchange.onResponseError(controller, error);
  };
  const finish = (): void => {
    close();
    if (form === 'list') exchange.onResponseData(controller, Buffer.from(']'));
    exchange.onResponseEnd();
  };
  const controller = socketController(close);

  socket.addEventListener('open', () => {
    if (ended) return socket.close();
    exchange.onRequestStart(controller);
    if (!ended) socket.send(String(body));
  });
  socket.addEventListener('message', ({ data }) => {
    if (ended) return;
    clearTimeout(timer);
    timer = setTimeout(() => fail(new errors.BodyTimeoutError()), idle);
    if (received === 0) exchange.onResponseStart(controller, 200, { 'content-type': contentTypes[form] });
    const text = String(data);
    exchange.onResponseData(controller, toBytes(text, form, received));
    received++;
    if (call.isLast(text)) finish();
  });
  socket.addEventListener('error', ({ error }) => fail(error instanceof Error ? error : broken()));
  socket.addEventListener('close', () => {
    if (ended) return;
    if (received === 0) fail(broken());
    else finish();
  });
}

const contentTypes = { events: 'text/event-stream', list: 'application/json' } as const;

function toBytes(message: string, form: SocketExchange['form'], position: number): Buffer {
  if (form === 'list') return Buffer.from((position === 0 ? '[' : ',') + message);
  return Buffer.from(`data: ${message.replaceAll('\n', '\ndata: ')}\n\n`);
}

const broken = (): Error => new Error('the WebSocket was closed without a message');

/** The controller that an exchange expects of its connection. */
const socketController = (close: () => void): Dispatcher.DispatchController => ({
  aborted: false,
  paused: false,
  reason: null,
  rawHeaders: null,
  rawTrailers: null,
  abort: close,
  pause: () => undefined,
  resume: () => undefined,
});
