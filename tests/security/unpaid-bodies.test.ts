/**
 * A caller without balance sends a huge body to every route that reads one: it is refused before more than a small part of
 * it is read, whether its length is announced or not, and the memory of the server is bounded.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { apiSections } from '../../server/src/compose/api-sections.js';
import { Auditor, openSite } from '../faults/traffic.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';

const megabyte = 1024 * 1024;
/** Not larger than callers with a balance may send. */
const bytes = 60 * megabyte;
/** The limit without balance, and the buffers of both sockets. */
const mostSent = 8 * megabyte;

let upstream: Upstream;
let server: SpawnedServer;
let auditor: Auditor;
let key: string;
beforeAll(async () => {
  upstream = await startUpstream();
  server = await spawnServer();
  auditor = new Auditor(server.database);
  const { keys } = await openSite(server.api, upstream.url, [{ username: 'broke', quota: 0 }]);
  key = keys[0] ?? '';
});
afterAll(async () => {
  await auditor.close();
  await server.stop();
  await upstream.stop();
});

const values: Readonly<Record<string, string>> = { model: 'gpt-4o', channel: '1', mode: 'mj-fast' };
const paths = [
  ...new Set(
    apiSections
      .flatMap(({ operations }) => Object.keys(operations))
      .filter((route) => /^(?:POST|PUT|PATCH) /.test(route) && !/ \/(?:api|graphql)(?:\/|$)/.test(route))
      .map((route) => route.replace(/:(\w+)|\{(\w+)\}/g, (_, name, other) => values[String(name ?? other)] ?? 'x'))
      .map((route) => route.replace('*', 'x')),
  ),
];

interface Refused {
  readonly status: number;
  readonly sent: number;
}

const head = Buffer.from('{"model":"gpt-4o","prompt":"');
const piece = Buffer.alloc(64 * 1024, 'a');
const chunk = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);

/** Sends until there is a response, or the server ends the connection, or everything is sent. */
function send(route: string, isChunked: boolean, authorization: string): Promise<Refused> {
  const [method = '', path = ''] = route.split(' ');
  return new Promise((resolve) => {
    let sent = 0;
    let said = '';
    const socket: Socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const done = (): void => {
      socket.destroy();
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(said)?.[1] ?? 0), sent });
    };
    socket.setEncoding('latin1').on('data', (text: string) => {
      said += text;
      done();
    });
    socket.on('error', done).on('close', done);
    const headers = [
      `${method} ${path} HTTP/1.1`,
      'host: tollgate',
      `authorization: Bearer ${authorization}`,
      'content-type: application/json',
      isChunked ? 'transfer-encoding: chunked' : `content-length: ${bytes}`,
    ];
    socket.write(`${headers.join('\r\n')}\r\n\r\n`);
    socket.write(
      isChunked ? Buffer.concat([Buffer.from(`${head.length.toString(16)}\r\n`), head, Buffer.from('\r\n')]) : head,
    );
    const more = (): void => {
      while (!socket.destroyed && sent < bytes - piece.length) {
        sent += piece.length;
        if (!socket.write(isChunked ? chunk : piece)) {
          socket.once('drain', more);
          return;
        }
      }
    };
    more();
  });
}

/** The most memory that the process has had so far. Megabytes. */
const peak = (): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))?.[1]) / 1024;

/** Sends to all paths, eight at once. */
async function sendToAll(isChunked: boolean, authorization: string): Promise<string[]> {
  const left = [...paths];
  const faults: string[] = [];
  const work = async (): Promise<void> => {
    for (let path = left.shift(); path !== undefined; path = left.shift()) {
      const { status, sent } = await send(path, isChunked, authorization);
      const isRefused = [400, 401, 402, 403, 404, 413, 501].includes(status);
      if (!isRefused || sent > mostSent) faults.push(`${path}: ${status} after ${sent} bytes`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return faults;
}

it('there are such routes of every kind', () => {
  expect(paths).toEqual(
    expect.arrayContaining(
      ['/v1/chat/completions', '/v1/files', '/v1/videos', '/suno/fetch', '/v1/realtime/client_secrets'].map(
        (path) => `POST ${path}`,
      ),
    ),
  );
  expect(paths.length).toBeGreaterThan(60);
});

describe.each([
  ['with its length', false],
  ['in chunks', true],
])('%s', (_name, isChunked) => {
  it('is refused early on every route, without balance', async () => {
    const before = peak();
    expect(await sendToAll(isChunked, key)).toEqual([]);
    expect(peak() - before).toBeLessThan(256);
    expect(server.process.exitCode).toBeNull();
  });

  it('is refused early on every route, with a key that does not exist', async () => {
    const before = peak();
    expect(await sendToAll(isChunked, 'sk-unknown')).toEqual([]);
    expect(peak() - before).toBeLessThan(256);
  });
});

it('nothing of it reached a provider or cost anything', async () => {
  expect(upstream.requests).toEqual([]);
  expect(await auditor.drifts()).toEqual([]);
});
