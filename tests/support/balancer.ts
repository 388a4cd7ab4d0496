import { Agent, createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** A load balancer in front of servers. */
export interface Balancer {
  readonly url: string;
  /** Replaces the servers behind the balancer, each once it is ready. */
  use(urls: readonly string[]): void;
  /** Calls that were sent to the server. */
  sentTo(url: string): number;
  stop(): Promise<void>;
}

interface Backend {
  readonly url: string;
  isReady: boolean;
}

/** Milliseconds between two checks of a server. */
const checkMilliseconds = 200;

/**
 * Sends calls in turn to the servers whose `/readyz` succeeds, over connections that stay open, as nginx, HAProxy and
 * Caddy do. A call whose connection failed goes to the next server; a call that was sent is never sent again.
 */
export async function startBalancer(): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const counts = new Map<string, number>();
  let backends: Backend[] = [];
  let next = 0;

  const check = async (backend: Backend): Promise<void> => {
    try {
      const response = await fetch(`${backend.url}/readyz`, { signal: AbortSignal.timeout(5000) });
      await response.arrayBuffer();
      backend.isReady = response.status === 200;
    } catch {
      backend.isReady = false;
    }
  };
  const timer = setInterval(() => void Promise.all(backends.map(check)), checkMilliseconds);

  const forward = (body: Buffer, call: IncomingMessage, response: ServerResponse, left: Backend[]): void => {
    const backend = left[next++ % Math.max(1, left.length)];
    if (!backend) return void response.writeHead(502).end('{"error":{"code":"no_server"}}');
    const target = new URL(call.url ?? '/', backend.url);
    counts.set(backend.url, (counts.get(backend.url) ?? 0) + 1);
    const headers = { ...call.headers, host: target.host };
    const upstream = send(target, { method: call.method, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    upstream.on('error', (error: NodeJS.ErrnoException) => {
      if (response.headersSent) return void response.destroy();
      if (error.code === 'ECONNREFUSED') {
        const others = left.filter((one) => one !== backend);
        return forward(body, call, response, others);
      }
      response.writeHead(502).end(JSON.stringify({ error: { code: `balancer_${error.code}` } }));
    });
    response.on('close', () => {
      if (!response.writableFinished) upstream.destroy();
    });
    upstream.end(body);
  };

  // The timeout is longer than a caller pauses. Otherwise a connection may be closed while a call is being sent.
  const server = createServer({ keepAliveTimeout: 75_000 }, (call, response) => {
    const parts: Buffer[] = [];
    call.on('data', (part: Buffer) => parts.push(part));
    call.on('end', () => {
      const ready = backends.filter(({ isReady }) => isReady);
      forward(Buffer.concat(parts), call, response, ready);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    use(urls) {
      backends = urls.map((url) => backends.find((one) => one.url === url) ?? { url, isReady: false });
    },
    sentTo: (url) => counts.get(url) ?? 0,
    async stop() {
      clearInterval(timer);
      server.closeAllConnections();
      server.close();
      agent.destroy();
      await once(server, 'close');
    },
  };
}
