import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** A proxy on this machine that records the requested destinations. */
export interface TestProxy {
  readonly port: number;
  /** `host:port` as sent by the clients, in order. */
  readonly asked: string[];
  stop(): Promise<void>;
}

export interface ProxyOptions {
  readonly credentials?: Credentials;
  /** Names that only the proxy can resolve, with their addresses and, where it differs, the port. */
  readonly names?: Readonly<Record<string, string>>;
}

/** A proxy that supports CONNECT. */
export async function startConnectProxy(options: ProxyOptions = {}): Promise<TestProxy> {
  const asked: string[] = [];
  const server = createHttpServer((_request, response) => response.writeHead(405).end());
  const login = options.credentials && Buffer.from(Object.values(options.credentials).join(':')).toString('base64');
  server.on('connect', (request, client: Socket) => {
    asked.push(request.url ?? '');
    client.on('error', () => undefined);
    if (login !== undefined && request.headers['proxy-authorization'] !== `Basic ${login}`) {
      return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
    }
    const { hostname, port } = new URL(`http://${request.url}`);
    const [host = hostname, ownPort] = options.names?.[hostname]?.split(':') ?? [];
    // `URL` leaves out the default port.
    join(client, host, Number(ownPort ?? (port || 80)), () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    });
  });
  return toProxy(server, asked);
}

/** A proxy that supports SOCKS 5. */
export async function startSocksProxy(options: ProxyOptions = {}): Promise<TestProxy> {
  const asked: string[] = [];
  const server = createServer((client) => {
    client.on('error', () => undefined);
    serveSocks(client, asked, options).catch(() => client.destroy());
  });
  return toProxy(server, asked);
}

async function serveSocks(client: Socket, asked: string[], { credentials, names }: ProxyOptions): Promise<void> {
  const next = reader(client);
  const [, methods = 0] = await next(2);
  const offered = await next(methods);
  const method = credentials ? 2 : 0;
  if (!offered.includes(method)) return void client.end(Buffer.from([5, 0xff]));
  // The response is sent in pieces, as a network may deliver it.
  client.write(Buffer.from([5]));
  await new Promise((resolve) => setTimeout(resolve, 5));
  client.write(Buffer.from([method]));
  if (credentials) {
    const [, userLength = 0] = await next(2);
    const username = (await next(userLength)).toString();
    const password = (await next((await next(1))[0] ?? 0)).toString();
    const isGood = username === credentials.username && password === credentials.password;
    client.write(Buffer.from([1, isGood ? 0 : 1]));
    if (!isGood) return void client.end();
  }
  const [, , , kind] = await next(4);
  const host =
    kind === 3
      ? (await next((await next(1))[0] ?? 0)).toString()
      : kind === 4
        ? `[${toGroups(await next(16))}]`
        : [...(await next(4))].join('.');
  const port = (await next(2)).readUInt16BE();
  asked.push(`${host}:${port}`);
  client.pause();
  join(client, names?.[host] ?? host, port, () => client.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 80])));
}

const toGroups = (bytes: Buffer): string => (bytes.toString('hex').match(/.{4}/g) ?? []).join(':');

/** Reads exactly `count` bytes at a time. */
function reader(socket: Socket): (count: number) => Promise<Buffer> {
  let held = Buffer.alloc(0);
  let wake: () => void = () => undefined;
  socket.on('data', (data: Buffer) => {
    held = Buffer.concat([held, data]);
    wake();
  });
  return async (count) => {
    while (held.length < count) await new Promise<void>((resolve) => (wake = resolve));
    const bytes = held.subarray(0, count);
    held = held.subarray(count);
    return bytes;
  };
}

function join(client: Socket, host: string, port: number, opened: () => void): void {
  const upstream = connect({ host: host.replace(/^\[|\]$/g, ''), port });
  upstream.on('error', () => client.destroy());
  upstream.once('connect', () => {
    client.removeAllListeners('data');
    opened();
    client.pipe(upstream).pipe(client);
  });
  client.once('close', () => upstream.destroy());
}

async function toProxy(server: Server, asked: string[]): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
