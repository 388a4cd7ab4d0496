import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, request as send, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** A request as a program sent it. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** Stands between a program and the gateway, and keeps what the program sends. */
export interface Recorder {
  readonly url: string;
  readonly sent: Sent[];
  /** Paths of connections that became WebSockets; what is sent over them is not kept. */
  readonly sockets: string[];
  /** Bodies of responses from status 400 on. */
  readonly refused: string[];
  stop(): Promise<void>;
}

export async function startRecorder(gateway: string): Promise<Recorder> {
  const sent: Sent[] = [];
  const sockets: string[] = [];
  const refused: string[] = [];
  const target = new URL(gateway);
  const server = createServer((incoming, outgoing) => {
    const pieces: Buffer[] = [];
    const { method = '', url: path = '', headers } = incoming;
    const forwarded = send({ host: target.hostname, port: target.port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
      if ((answer.statusCode ?? 502) >= 400) void text(answer).then((body) => refused.push(body));
      answer.on('error', () => outgoing.destroy());
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('end', () => sent.push({ method, path, headers, body: parsed(Buffer.concat(pieces)) }));
    incoming.pipe(forwarded);
  });
  server.on('upgrade', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    sockets.push(incoming.url ?? '');
    const gatewaySocket = connect(Number(target.port), target.hostname, () => {
      const lines = incoming.rawHeaders.flatMap((name, index, all) => (index % 2 ? [] : `${name}: ${all[index + 1]}`));
      gatewaySocket.write([`GET ${incoming.url} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
      gatewaySocket.write(head);
      socket.pipe(gatewaySocket).pipe(socket);
    });
    for (const [one, other] of [
      [socket, gatewaySocket],
      [gatewaySocket, socket],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    sockets,
    refused,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return bytes.toString('utf8');
  }
}

const keptHeaders =
  /^(?:anthropic-|openai-|session|conversation|originator|user-agent|x-app|x-goog-api-client|version)/;
/** Descriptions and instructions fill most of a request, and no provider looks into them. */
const maxText = 400;

/**
 * Writes what a program sent to the folder that `AGENTS_RECORD` names, without keys, with long texts cut: the fixtures of
 * `tests/recorded/agents`.
 */
export function record(program: string, home: string, sent: readonly Sent[]): void {
  const folder = process.env['AGENTS_RECORD'];
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  const calls = sent.filter(
    ({ method, path, body }) =>
      method === 'POST' &&
      typeof body === 'object' &&
      !path.includes('count') &&
      !JSON.stringify(body).includes('<<SLOW>>'),
  );
  const recorded = calls.map(({ path, headers, body }) => ({
    path,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => keptHeaders.test(name))),
    body: shortened(body, home),
  }));
  const name = program.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(recorded)}\n`);
}

function shortened(value: unknown, home: string): unknown {
  if (typeof value === 'string') {
    const text = value.replaceAll(home, '/home/user');
    return text.length > maxText ? `${text.slice(0, maxText)}…` : text;
  }
  if (Array.isArray(value)) return value.map((each) => shortened(each, home));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortened(each, home)]));
}
