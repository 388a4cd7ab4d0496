import type { OutgoingHttpHeader, ServerResponse } from 'node:http';
import type { ResponseSink } from '../../gateway/deliver/client-response.js';
import { bedrockException } from '../../dialects/languages/bedrock/error.js';
import { ConverseStream, toConverseResponse } from '../../dialects/languages/bedrock/converse-response.js';
import { asFields } from '../../dialects/neutral/fields.js';
import { parseExact, writeJson } from '../../shared/exact-json.js';
import { EventParser } from '../../dialects/wire/sse/event-parser.js';
import type { ServerEvent } from '../../dialects/wire/sse/event.js';
import { toFrame } from '../../dialects/wire/aws-frames.js';

/** How output for a client of Messages is sent to a client of Bedrock. */
export interface AwsForm {
  /** @param data the data of an event */
  frames(data: string): Uint8Array[];
  /** Returns the body of a whole response. Absent: the response of Messages stays as it is. */
  whole?(body: string): string;
}

/** `InvokeModel`: each event of Messages is a chunk. */
export const invokeForm = (): AwsForm => ({
  frames: (data) => [
    toFrame(
      { ':message-type': 'event', ':event-type': 'chunk' },
      JSON.stringify({ bytes: Buffer.from(data).toString('base64') }),
    ),
  ],
});

/** `Converse`, which has events and messages of its own. */
export function converseForm(): AwsForm {
  const began = performance.now();
  const latency = (): number => Math.round(performance.now() - began);
  const stream = new ConverseStream();
  return {
    frames: (data) =>
      stream
        .push(data, latency())
        .map(([type, body]) => toFrame({ ':message-type': 'event', ':event-type': type }, JSON.stringify(body))),
    whole: (body) => writeJson(toConverseResponse(asFields(parseExact(body)) ?? {}, latency())),
  };
}

/**
 * The response to a client of Bedrock. It accepts the output for a client of Messages, and sends each event as a frame
 * of AWS (docs/reference/providers/aws.md#streams). An error event becomes an exception. Comments have no frames.
 */
export class AwsResponse implements ResponseSink {
  private readonly parser = new EventParser();
  private isStream = false;
  /** The headers of a whole response, whose length is known once its body is. */
  private head: OutgoingHttpHeader[] | null = null;

  constructor(
    private readonly raw: ServerResponse,
    private readonly form: AwsForm,
  ) {}

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
    if (this.form.whole && !this.isStream && status === 200) {
      this.head = headers;
      return;
    }
    const own = this.isStream
      ? headers.map((value) => (value === 'text/event-stream' ? 'application/vnd.amazon.eventstream' : value))
      : headers;
    this.raw.writeHead(status, own);
  }

  flushHeaders(): void {
    this.raw.flushHeaders();
  }

  get socket(): ServerResponse['socket'] {
    return this.raw.socket;
  }

  write(bytes: Buffer | string): boolean {
    const frames = this.framed(bytes);
    return frames.length === 0 ? !this.writableNeedDrain : this.raw.write(frames);
  }

  end(bytes: Buffer | string): void {
    if (this.head) this.endWhole(this.head, String(bytes));
    else if (!this.isStream) this.raw.end(bytes);
    else this.raw.end(Buffer.concat([this.framed(bytes), ...this.framesOf(this.parser.end())]));
  }

  private endWhole(head: readonly OutgoingHttpHeader[], body: string): void {
    const bytes = Buffer.from(this.form.whole?.(body) ?? body);
    const isLength = (at: number): boolean => head[at - (at % 2)] === 'content-length';
    const others = head.filter((_, at) => !isLength(at));
    this.raw.writeHead(200, [...others, 'content-length', bytes.length]);
    this.raw.end(bytes);
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
    return Buffer.concat(this.framesOf(events));
  }

  private framesOf(events: readonly ServerEvent[]): Uint8Array[] {
    return events.flatMap(({ data }) => {
      const exception = bedrockException(data);
      if (!exception) return this.form.frames(data);
      return [toFrame({ ':message-type': 'exception', ':exception-type': exception.type }, exception.body)];
    });
  }
}
