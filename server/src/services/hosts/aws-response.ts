import type { OutgoingHttpHeader, ServerResponse } from 'node:http';
import type { ResponseSink } from '../../gateway/deliver/client-response.js';
import { awsErrorType, bedrockException } from '../../dialects/languages/bedrock/error.js';
import { EventParser } from '../../dialects/wire/sse/event-parser.js';
import { toFrame } from '../../dialects/wire/aws-frames.js';

/**
 * The response to a client of Bedrock. It accepts the output for a client of Messages, and sends each event as a frame
 * of AWS (docs/reference/providers/aws.md#streams). An error event becomes an exception. Comments have no frames.
 */
export class AwsResponse implements ResponseSink {
  private readonly parser = new EventParser();
  private isStream = false;

  constructor(private readonly raw: ServerResponse) {}

  get headersSent(): boolean {
    return this.raw.headersSent;
  }

  get writableFinished(): boolean {
    return this.raw.writableFinished;
  }

  get writableNeedDrain(): boolean {
    return this.raw.writableNeedDrain;
  }

  writeHead(status: number, headers: OutgoingHttpHeader[]): void {
    this.isStream = headers.some((value, index) => index % 2 === 1 && value === 'text/event-stream');
    const own = this.isStream
      ? headers.map((value) => (value === 'text/event-stream' ? 'application/vnd.amazon.eventstream' : value))
      : headers;
    this.raw.writeHead(status, status < 400 ? own : [...own, 'x-amzn-errortype', awsErrorType(status)]);
  }

  flushHeaders(): void {
    this.raw.flushHeaders();
  }

  cork(): void {
    this.raw.cork();
  }

  uncork(): void {
    this.raw.uncork();
  }

  write(bytes: Buffer | string): boolean {
    const frames = this.framed(bytes);
    return frames.length === 0 ? !this.writableNeedDrain : this.raw.write(frames);
  }

  end(bytes: Buffer | string): void {
    if (!this.isStream) this.raw.end(bytes);
    else this.raw.end(Buffer.concat([this.framed(bytes), ...this.parser.end().map(({ data }) => frameOf(data))]));
  }

  destroy(): void {
    this.raw.destroy();
  }

  on(event: 'close' | 'error', handler: () => void): void {
    this.raw.on(event, handler);
  }

  once(event: 'drain', handler: () => void): void {
    this.raw.once(event, handler);
  }

  private framed(bytes: Buffer | string): Buffer {
    const events = this.parser.push(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
    return Buffer.concat(events.map(({ data }) => frameOf(data)));
  }
}

function frameOf(data: string): Uint8Array {
  const exception = bedrockException(data);
  if (exception) return toFrame({ ':message-type': 'exception', ':exception-type': exception.type }, exception.body);
  const payload = JSON.stringify({ bytes: Buffer.from(data).toString('base64') });
  return toFrame({ ':message-type': 'event', ':event-type': 'chunk' }, payload);
}
