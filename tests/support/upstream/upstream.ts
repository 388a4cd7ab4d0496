import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { defaultReply } from './replies.js';

/** A request as received by the upstream. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: Buffer;
  /** The parsed JSON object, or null. */
  readonly body: Record<string, unknown> | null;
  readonly model: string | null;
  readonly stream: boolean;
  /** The bearer token. */
  readonly key: string | null;
  /** Whether the caller disconnected before the response was complete. */
  readonly aborted: boolean;
  /** Resolves when the response is complete or the caller has disconnected. */
  readonly ended: Promise<void>;
}

/** Writes one response, or fails in one way (`replies.ts`, `faults.ts`). */
export type Reply = (response: ServerResponse, request: ReceivedRequest) => void | Promise<void>;

/** Every given property must be equal; `path` may be a prefix. */
export interface RequestMatch {
  readonly model?: string;
  readonly key?: string;
  readonly path?: string;
}

/** A provider scripted by a test, which records its requests. */
export interface Upstream {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly requests: ReceivedRequest[];
  /**
   * Answers matching requests with `replies` in turn, repeating the last one. A later script takes precedence over an
   * earlier one.
   */
  script(match: RequestMatch, ...replies: [Reply, ...Reply[]]): void;
  /** Clears scripts and requests. */
  reset(): void;
  stop(): Promise<void>;
}

interface Script {
  readonly match: RequestMatch;
  readonly replies: Reply[];
}

/** Starts an OpenAI-compatible upstream on a free port, or on `port`. */
export async function startUpstream(options: { port?: number } = {}): Promise<Upstream> {
  const requests: ReceivedRequest[] = [];
  const scripts: Script[] = [];
  const sockets = new Set<Socket>();

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    // Many tests include a caller that disconnects, which is not an error of the upstream.
    incoming.on('error', () => undefined);
    response.on('error', () => undefined);
    const request = await receive(incoming, response);
    requests.push(request);
    const script = scripts.findLast(({ match }) => matches(match, request));
    const reply = script ? nextReply(script) : defaultReply;
    await reply(response, request);
  };

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    script: (match, ...replies) => void scripts.push({ match, replies }),
    reset: () => {
      scripts.length = 0;
      requests.length = 0;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function receive(incoming: IncomingMessage, response: ServerResponse): Promise<ReceivedRequest> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const rawBody = Buffer.concat(parts);
  const body = parseObject(rawBody);
  let complete = false;
  let left = false;
  const ended = new Promise<void>((resolve) => {
    response.once('finish', () => (complete = true));
    response.once('close', () => {
      left = !complete;
      resolve();
    });
  });
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    rawBody,
    body,
    model: typeof body?.model === 'string' ? body.model : null,
    stream: body?.stream === true,
    key: incoming.headers.authorization?.replace(/^Bearer /, '') ?? null,
    get aborted() {
      return left;
    },
    ended,
  };
}

function parseObject(rawBody: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(rawBody.toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function matches(match: RequestMatch, request: ReceivedRequest): boolean {
  return (
    (match.model === undefined || match.model === request.model) &&
    (match.key === undefined || match.key === request.key) &&
    (match.path === undefined || request.path.startsWith(match.path))
  );
}

/** The next reply of the script; the last one repeats. */
function nextReply({ replies }: Script): Reply {
  const reply = replies.length > 1 ? replies.shift() : replies[0];
  if (!reply) throw new Error('a script needs a reply');
  return reply;
}
