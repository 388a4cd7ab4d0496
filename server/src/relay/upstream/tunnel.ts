import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, isIP, isIPv4, type Socket } from 'node:net';
import type { OutboundGuard } from '../../outbound/outbound-guard.js';
import { bareHostOf, proxyCredentials } from './proxy-address.js';

export interface TunnelEnd {
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
}

export interface TunnelOptions {
  readonly guard: OutboundGuard;
  /** Milliseconds for the whole process. */
  readonly milliseconds: number;
  readonly signal: AbortSignal;
}

/**
 * Opens a connection through an admin's proxy, for protocols that cannot use a connection pool. The proxy resolves the
 * name.
 * @param proxy http, https, socks5 or socks5h, as returned by `toProxyAddress`
 * @throws Error when the proxy is unreachable, refuses, or takes too long
 */
export async function openTunnel(proxy: URL, end: TunnelEnd, options: TunnelOptions): Promise<Socket> {
  const limits = AbortSignal.any([options.signal, AbortSignal.timeout(options.milliseconds)]);
  const open = proxy.protocol.startsWith('socks5') ? openBySocks : openByConnect;
  return open(proxy, end, options.guard, limits);
}

function openByConnect(proxy: URL, end: TunnelEnd, guard: OutboundGuard, signal: AbortSignal): Promise<Socket> {
  const { username, password } = proxyCredentials(proxy);
  const authority = `${isIP(end.host) === 6 ? `[${end.host}]` : end.host}:${end.port}`;
  const login = Buffer.from(`${username}:${password}`).toString('base64');
  return new Promise((resolve, reject) => {
    const send = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send({
      method: 'CONNECT',
      host: bareHostOf(proxy),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      path: authority,
      headers: { host: authority, ...(username === '' ? {} : { 'proxy-authorization': `Basic ${login}` }) },
      lookup: guard.lookup('admin'),
      agent: false,
      signal,
    });
    request.once('error', reject);
    request.once('connect', (response, socket: Socket, head) => {
      if (response.statusCode !== 200) {
        socket.destroy();
        return reject(new Error(`the proxy answered ${response.statusCode}`));
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.end();
  });
}

/** SOCKS 5 (RFC 1928) with user names and passwords (RFC 1929). */
async function openBySocks(proxy: URL, end: TunnelEnd, guard: OutboundGuard, signal: AbortSignal): Promise<Socket> {
  const { username, password } = proxyCredentials(proxy);
  const socket = connect({
    host: bareHostOf(proxy),
    port: Number(proxy.port || 1080),
    lookup: guard.lookup('admin'),
  });
  const leave = (): void => void socket.destroy(new Error('the proxy did not answer in time'));
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  try {
    await once(socket, 'connect');
    const reader = new Reader(socket);
    const method = username === '' ? 0 : 2;
    socket.write(Buffer.from([5, 1, method]));
    const [version, chosen] = await reader.next(2);
    if (version !== 5 || chosen !== method) throw new Error('the proxy wants another way to sign in');
    if (method === 2) {
      socket.write(Buffer.concat([Buffer.from([1]), sized(username), sized(password)]));
      if ((await reader.next(2))[1] !== 0) throw new Error('the proxy refused the sign-in');
    }
    socket.write(Buffer.concat([Buffer.from([5, 1, 0]), socksHost(end.host), portBytes(end.port)]));
    const [, reply, , kind] = await reader.next(4);
    if (reply !== 0) throw new Error(`the proxy answered ${reply}`);
    await reader.next((await boundLength(reader, kind ?? 0)) + 2);
    reader.release();
    return socket;
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

/** Reads exact numbers of bytes from a connection. */
class Reader {
  private held: Buffer[] = [];
  private length = 0;
  private problem: Error | null = null;
  private wake: () => void = () => undefined;

  constructor(private readonly socket: Socket) {
    socket.on('data', this.take);
    socket.on('error', this.fail);
    socket.on('close', this.end);
  }

  /** @throws Error when the connection ends before `count` bytes arrived */
  async next(count: number): Promise<Buffer> {
    while (this.length < count) {
      if (this.problem) throw this.problem;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    const all = Buffer.concat(this.held);
    this.held = [all.subarray(count)];
    this.length -= count;
    return all.subarray(0, count);
  }

  /**
   * Hands the connection over.
   * @throws Error when more bytes arrived than were read: the other side must not speak first
   */
  release(): void {
    this.socket.off('data', this.take).off('error', this.fail).off('close', this.end);
    if (this.length > 0) throw new Error('the proxy said more than it was asked');
  }

  private readonly take = (data: Buffer): void => {
    this.held.push(data);
    this.length += data.length;
    this.wake();
  };
  private readonly fail = (error: Error): void => {
    this.problem = error;
    this.wake();
  };
  private readonly end = (): void => this.fail(this.problem ?? new Error('the proxy hung up'));
}

/** Length of the proxy's bound address, which is skipped. */
async function boundLength(reader: Reader, kind: number): Promise<number> {
  if (kind === 1) return 4;
  if (kind === 4) return 16;
  if (kind === 3) return (await reader.next(1))[0] ?? 0;
  throw new Error('the proxy answered an address of no known kind');
}

const sized = (text: string): Buffer => {
  const bytes = Buffer.from(text).subarray(0, 255);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
};

/** Names are sent as names: the proxy resolves them. */
function socksHost(host: string): Buffer {
  if (isIPv4(host)) return Buffer.from([1, ...host.split('.').map(Number)]);
  return isIP(host) === 6 ? ipv6(host) : Buffer.concat([Buffer.from([3]), sized(host)]);
}

/** Bytes of an IPv6 address in URL notation: hex groups, at most one run of zeros omitted. */
function ipv6(host: string): Buffer {
  const [before = [], after = []] = host.split('::').map((half) => half.split(':').filter(Boolean));
  const left = host.includes('::') ? Array<string>(8 - before.length - after.length).fill('0') : [];
  const groups = [...before, ...left, ...after].map((group) => parseInt(group, 16));
  return Buffer.from([4, ...groups.flatMap((group) => [group >> 8, group & 0xff])]);
}

const portBytes = (port: number): Buffer => Buffer.from([port >> 8, port & 0xff]);
