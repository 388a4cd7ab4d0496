import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { recordedAnswer, recordedEvents, toEvent } from './recordings.js';

export interface FastUpstream {
  readonly url: string;
  stop(): Promise<void>;
}

/** Streams that stay open: requested by a body that contains `"user":"slow"`. */
export interface SlowStreams {
  readonly eventCount: number;
  /** Delay between two events. */
  readonly gapMilliseconds: number;
}

/**
 * The upstream of the benchmark: real recorded responses from prepared buffers, so that it costs almost nothing itself.
 * A body with `"stream":true` gets `eventCount` events and, for OpenAI, the final one, one write each; one with
 * `"user":"untold"` too gets no usage. `/v1/messages` responds as Anthropic does, always streamed.
 */
export async function startFastUpstream(options: {
  readonly port?: number;
  readonly eventCount: number;
  readonly slow: SlowStreams;
}): Promise<FastUpstream> {
  const answer = Buffer.from(JSON.stringify(JSON.parse(recordedAnswer('openai/openai-text').toString())));
  const streams = { chat: chatStream(options.eventCount), messages: messagesStream(options.eventCount) };
  const slowStreams = { chat: chatStream(options.slow.eventCount), messages: messagesStream(options.slow.eventCount) };
  const untold = chatStream(options.eventCount).toSpliced(-2, 1);
  const streamed = Buffer.from('"stream":true');
  const slowed = Buffer.from('"user":"slow"');
  const untelling = Buffer.from('"user":"untold"');
  const jsonHeaders = { 'content-type': 'application/json', 'content-length': answer.length };

  const server = createServer((request, response) => {
    let wantsStream = false;
    let slow = false;
    let tells = true;
    // A body of the benchmark is one chunk; the flags are never split.
    request.on('data', (chunk: Buffer) => {
      wantsStream ||= chunk.includes(streamed);
      slow ||= chunk.includes(slowed);
      tells &&= !chunk.includes(untelling);
    });
    request.on('end', () => {
      if (!wantsStream) {
        response.writeHead(200, jsonHeaders).end(answer);
        return;
      }
      const dialect = request.url?.startsWith('/v1/messages') ? 'messages' : 'chat';
      const stream = tells ? (slow ? slowStreams : streams)[dialect] : untold;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (slow) {
        drip(response, stream, options.slow.gapMilliseconds);
        return;
      }
      for (const event of stream) response.write(event);
      response.end();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function drip(response: ServerResponse, stream: readonly Buffer[], gapMilliseconds: number): void {
  let at = 0;
  const timer = setInterval(() => {
    const event = stream[at++];
    if (event) response.write(event);
    else response.end();
  }, gapMilliseconds);
  response.once('close', () => clearInterval(timer));
}

/** `count` recorded events, the last two being finish and usage, then the final one. */
function chatStream(count: number): Buffer[] {
  const all = recordedEvents('openai/openai-text');
  return [...stretched(all.slice(0, -2), count - 2), ...all.slice(-2), '[DONE]'].map((data) =>
    Buffer.from(toEvent(data)),
  );
}

/** `count` recorded events: one block of text between its first and last ones. */
function messagesStream(count: number): Buffer[] {
  const all = recordedEvents('anthropic/anthropic-text');
  const isText = (data: string): boolean => data.includes('"text_delta"');
  const first = all.findIndex(isText);
  const opening = all.slice(0, first);
  const closing = all.slice(all.findLastIndex(isText) + 1);
  const texts = stretched(all.filter(isText), count - opening.length - closing.length);
  return [...opening, ...texts, ...closing].map((data) => {
    const { type } = JSON.parse(data) as { type: string };
    return Buffer.from(`event: ${type}\n${toEvent(data)}`);
  });
}

const stretched = (events: readonly string[], count: number): string[] =>
  Array.from({ length: count }, (_, at) => events[at % events.length] ?? '');
