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
 * `"user":"untold"` too gets no usage. `/v1/messages`, `/v1/responses` and Gemini's paths respond as their providers do.
 */
export async function startFastUpstream(options: {
  readonly port?: number;
  readonly eventCount: number;
  readonly slow: SlowStreams;
}): Promise<FastUpstream> {
  const answer = Buffer.from(JSON.stringify(JSON.parse(recordedAnswer('openai/openai-text').toString())));
  const streams = streamsOf(options.eventCount);
  const slowStreams = streamsOf(options.slow.eventCount);
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
      const dialect = dialectOf(request.url ?? '');
      if (!wantsStream && dialect !== 'gemini') {
        response.writeHead(200, jsonHeaders).end(answer);
        return;
      }
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

const streamsOf = (count: number) => ({
  chat: chatStream(count),
  messages: messagesStream(count),
  responses: responsesStream(count),
  gemini: geminiStream(count),
});

function dialectOf(path: string): keyof ReturnType<typeof streamsOf> {
  if (path.startsWith('/v1/messages')) return 'messages';
  if (path.startsWith('/v1/responses')) return 'responses';
  return path.includes(':streamGenerateContent') ? 'gemini' : 'chat';
}

function drip(response: ServerResponse, stream: readonly Buffer[], gapMilliseconds: number): void {
  let at = 0;
  const sendNext = (): void => {
    const event = stream[at++];
    if (event) response.write(event);
    else response.end();
  };
  // The opening and the first text of a response come together.
  for (let opening = 0; opening < 4; opening++) sendNext();
  const timer = setInterval(sendNext, gapMilliseconds);
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
const messagesStream = (count: number): Buffer[] => named(between('anthropic/anthropic-text', '"text_delta"', count));

/** `count` recorded events: one call of a tool between its first and last ones. */
const responsesStream = (count: number): Buffer[] =>
  named(between('openai-responses/openai-custom-tool.1', '_input.delta"', count));

/** `count` recorded events, the last of which finishes. */
function geminiStream(count: number): Buffer[] {
  const all = recordedEvents('google/google-text');
  return [...stretched(all.slice(0, -1), count - 1), ...all.slice(-1)].map((data) => Buffer.from(toEvent(data)));
}

/** `count` events of a recording: those with a mark are repeated. */
function between(recording: string, mark: string, count: number): string[] {
  const all = recordedEvents(recording);
  const isMarked = (data: string): boolean => data.includes(mark);
  const opening = all.slice(0, all.findIndex(isMarked));
  const closing = all.slice(all.findLastIndex(isMarked) + 1);
  return [...opening, ...stretched(all.filter(isMarked), count - opening.length - closing.length), ...closing];
}

const named = (events: readonly string[]): Buffer[] =>
  events.map((data) => Buffer.from(`event: ${(JSON.parse(data) as { type: string }).type}\n${toEvent(data)}`));

const stretched = (events: readonly string[], count: number): string[] =>
  Array.from({ length: count }, (_, at) => events[at % events.length] ?? '');
