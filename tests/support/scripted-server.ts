import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ScriptedCall {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is text. */
  readonly body?: unknown;
}

/** An external server that responds as a test scripts it, and records its requests. */
export interface ScriptedServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly calls: ScriptedCall[];
  answer: (call: ScriptedCall) => ScriptedAnswer | Promise<ScriptedAnswer>;
  stop(): Promise<void>;
}

export async function startScriptedServer(answer: ScriptedServer['answer']): Promise<ScriptedServer> {
  const scripted = { url: '', calls: [] as ScriptedCall[], answer, stop: () => Promise.resolve() };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '/', scripted.url);
      const call = {
        method: request.method ?? '',
        url,
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      scripted.calls.push(call);
      void Promise.resolve(scripted.answer(call)).then(({ status = 200, headers = {}, body = {} }) => {
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
      });
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  scripted.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  scripted.stop = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return scripted;
}
