import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';

/** The minimal Node proxy: raw `node:http` in, an undici pool out, bytes piped, without authentication. */
const pool = new Pool(process.env.UPSTREAM_URL ?? '', { connections: 2048, pipelining: 1 });

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    pool
      .request({ method: 'POST', path: request.url ?? '/', headers: { 'content-type': 'application/json' }, body })
      .then(async (answer) => {
        const type = String(answer.headers['content-type']);
        if (type.startsWith('text/event-stream')) {
          response.writeHead(answer.statusCode, { 'content-type': type });
          answer.body.pipe(response);
          return;
        }
        const bytes = Buffer.from(await answer.body.arrayBuffer());
        response.writeHead(answer.statusCode, { 'content-type': type, 'content-length': bytes.length }).end(bytes);
      })
      .catch(() => response.destroy());
  });
});
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
