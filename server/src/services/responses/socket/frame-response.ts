import { EventEmitter } from 'node:events';
import type { OutgoingHttpHeader } from 'node:http';
import type { ResponseSink } from '../../../gateway/deliver/client-response.js';
import { asFields, parseFields, type Fields } from '../../../dialects/neutral/fields.js';
import { EventParser } from '../../../dialects/wire/sse/event-parser.js';

/** The side of a WebSocket that frames are written to. */
export interface FrameSocket {
  readonly bufferedAmount: number;
  /** @param sent called when the frame has left this process, or cannot be sent */
  send(text: string, sent: () => void): void;
}

const eventStream = 'text/event-stream';

/** Bytes that wait for the client above which the provider is paused. */
const maxWaiting = 256 * 1024;

/**
 * One response over a WebSocket. It accepts the output for an HTTP client, and sends each event as a frame. An error
 * becomes an event with its HTTP status.
 */
export class FrameResponse extends EventEmitter implements ResponseSink {
  headersSent = false;
  writableFinished = false;
  private readonly parser = new EventParser();
  private status = 200;
  private isStream = false;
  private isOver = false;

  /**
   * @param lane the `stream_id` of the call, which is repeated in every event
   * @param onEvent called with the text of each event of the stream before it is sent
   */
  constructor(
    private readonly webSocket: FrameSocket,
    private readonly lane: string | null,
    private readonly onEvent: (text: string) => void,
  ) {
    super();
  }

  get writableNeedDrain(): boolean {
    return this.webSocket.bufferedAmount > maxWaiting;
  }

  writeHead(status: number, headers: OutgoingHttpHeader[]): void {
    this.headersSent = true;
    this.status = status;
    this.isStream = headers.some(
      (value, index) => index % 2 === 1 && headers[index - 1] === 'content-type' && value === eventStream,
    );
  }

  write(bytes: Buffer | string): boolean {
    if (this.isOver) return true;
    for (const { data } of this.parser.push(toBuffer(bytes))) this.sendEvent(data);
    return !this.writableNeedDrain;
  }

  end(bytes: Buffer | string): void {
    if (this.isOver) return;
    if (this.isStream) {
      this.write(bytes);
      for (const { data } of this.parser.end()) this.sendEvent(data);
    } else this.sendFrame(JSON.stringify(this.laned(this.toError(bytes))));
    this.writableFinished = true;
    this.close();
  }

  /** Aborts the response: the client has disconnected, or no longer wants it. */
  destroy(): void {
    if (!this.isOver) this.close();
  }

  private close(): void {
    this.isOver = true;
    this.emit('close');
  }

  private toError(bytes: Buffer | string): Fields {
    const { error } = parseFields(toBuffer(bytes).toString('utf8')) ?? {};
    return { type: 'error', status: this.status, error };
  }

  /** Sends an event. The end mark of chat streams is not an event of Responses. */
  private sendEvent(data: string): void {
    if (data === '[DONE]') return;
    this.onEvent(data);
    const event = this.lane === null ? null : parseFields(data);
    this.sendFrame(event ? JSON.stringify(this.laned(event)) : data);
  }

  private laned(event: Fields): Fields {
    return this.lane === null ? event : { ...event, stream_id: this.lane };
  }

  private sendFrame(text: string): void {
    this.webSocket.send(text, () => {
      if (!this.writableNeedDrain) this.emit('drain');
    });
  }
}

const toBuffer = (bytes: Buffer | string): Buffer => (typeof bytes === 'string' ? Buffer.from(bytes) : bytes);

/** Returns the response in a final event; null for any other event. */
export function responseIn(text: string): Fields | null {
  if (!/"response\.(?:completed|incomplete)"/.test(text.slice(0, 200)) && !text.includes('"response.completed"'))
    return null;
  const event = parseFields(text);
  const isLast = event?.['type'] === 'response.completed' || event?.['type'] === 'response.incomplete';
  return isLast ? asFields(event['response']) : null;
}
