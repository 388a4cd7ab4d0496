import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { freePort } from '../support/services/processes.js';

/**
 * `answers`: the collector responds with success. `refuses`: its port is closed. `hangs`: it accepts requests and never
 * responds.
 */
export type CollectorMode = 'answers' | 'refuses' | 'hangs';

/** A collector for OTLP/HTTP that can be made unavailable. */
export class ScriptedCollector {
  /** Spans that arrived. */
  spans = 0;
  private mode: CollectorMode = 'refuses';
  private server: Server | null = null;
  private readonly hanging: ServerResponse[] = [];

  private constructor(private readonly port: number) {}

  static async start(): Promise<ScriptedCollector> {
    return new ScriptedCollector(await freePort());
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async become(mode: CollectorMode): Promise<void> {
    this.mode = mode;
    for (const response of this.hanging.splice(0)) response.destroy();
    if (mode === 'refuses') await this.close();
    else if (!this.server) await this.listen();
  }

  async close(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = null;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }

  private async listen(): Promise<void> {
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('error', () => undefined);
      request.on('end', () => {
        if (this.mode === 'hangs') return void this.hanging.push(response);
        const zipped = request.headers['content-encoding'] === 'gzip';
        const body = zipped ? gunzipSync(Buffer.concat(parts)) : Buffer.concat(parts);
        if (request.url === '/v1/traces') this.spans += body.toString().split('"spanId"').length - 1;
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.server = server;
  }
}
