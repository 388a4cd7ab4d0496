import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { recordedAnswer, recordedEvents, toEvent } from './recordings.js';

export interface FastUpstream {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * The upstream of the benchmark: real recorded answers from buffers made beforehand, so that it costs next to nothing
 * itself. A body that says `"stream":true` is answered with `eventCount` events and the closing one, a write each.
 */
export async function startFastUpstream(options: {
  readonly port?: number;
  readonly eventCount: number;
  /** Between two events. 0 writes them one after the other. */
  readonly gapMilliseconds?: number;
}): Promise<FastUpstream> {
  const answer = Buffer.from(JSON.stringify(JSON.parse(recordedAnswer('openai/openai-text').toString())));
  const stream = streamOf(options.eventCount);
  const gap = options.gapMilliseconds ?? 0;
  const streamed = Buffer.from('"stream":true');
  const jsonHeaders = { 'content-type': 'application/json', 'content-length': answer.length };

  const server = createServer((request, response) => {
    let wantsStream = false;
    // A body of the benchmark is one chunk; the flag is never cut in two.
    request.on('data', (chunk: Buffer) => (wantsStream ||= chunk.includes(streamed)));
    request.on('end', () => {
      if (!wantsStream) {
        response.writeHead(200, jsonHeaders).end(answer);
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (gap === 0) {
        for (const event of stream) response.write(event);
        response.end();
        return;
      }
      let at = 0;
      const timer = setInterval(() => {
        const event = stream[at++];
        if (event) response.write(event);
        else response.end();
      }, gap);
      response.once('close', () => clearInterval(timer));
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

/** `count` recorded events, the last two being the finish and the usage, then the closing one. */
function streamOf(count: number): Buffer[] {
  const all = recordedEvents('openai/openai-text');
  const closing = all.slice(-2);
  const middle = all.slice(0, -2);
  const chosen = Array.from({ length: count - closing.length }, (_, at) => middle[at % middle.length] ?? '');
  return [...chosen, ...closing, '[DONE]'].map((data) => Buffer.from(toEvent(data)));
}
