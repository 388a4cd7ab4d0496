import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { buildConnector, Pool, ProxyAgent, Socks5ProxyAgent, type Dispatcher } from 'undici';
import type { OutboundGuard } from '../../platform/outbound/outbound-guard.js';
import { AppError } from '../../shared/errors.js';
import { lent } from '../../shared/held-bytes.js';
import type { UpstreamRequest } from '../../dialects/contract.js';
import { Exchange } from './exchange.js';
import { proxyCredentials, toProxyAddress } from './proxy-address.js';
import { openSocket } from './socket-exchange.js';

/** Timeouts of one request. */
export interface UpstreamTimeouts {
  /** Milliseconds from the request to the response headers. */
  readonly firstByte: number;
  /** Milliseconds between two pieces of the body. */
  readonly idle: number;
}

/** Sends requests to providers. Returns an exchange: headers when they arrive, the body in pieces. */
export class UpstreamClient {
  constructor(private readonly pools: Pools) {}

  /**
   * @param streamed the body, if it is sent as it arrives; the body of `request` is then null
   * @throws AppError UPSTREAM_UNREACHABLE when the URL is invalid or not allowed
   */
  send(
    request: UpstreamRequest,
    timeouts: UpstreamTimeouts,
    proxy?: string,
    streamed?: AsyncIterable<Buffer>,
  ): Exchange {
    // WebSockets begin as HTTP requests to the same hosts, so the URL is converted.
    const { url, origin, path } = request.socket ? toAddress(request.url.replace(/^ws/, 'http')) : known(request.url);
    const exchange = new Exchange();
    // A failure is always reported by `answer`; without this handler, a rejection that is not awaited would end the
    // process.
    exchange.answer.catch(() => undefined);
    const pool = this.pools.for(url, origin, proxy);
    if (request.socket) {
      openSocket(exchange, url, request, request.socket, timeouts, pool);
      return exchange;
    }
    const body = streamed ?? (request.body instanceof Buffer ? lent(request.body) : request.body);
    const headers = toFlatHeaders(request.headers);
    // undici knows the length of a buffer alone.
    if (body !== request.body && request.body) headers.push('content-length', String(request.body.length));
    pool.dispatch(
      {
        origin,
        path,
        method: request.method,
        headers,
        // undici takes iterables, which its types leave out.
        body: body as Readable | Buffer | null,
        headersTimeout: timeouts.firstByte,
        bodyTimeout: timeouts.idle,
      },
      exchange,
    );
    return exchange;
  }
}

interface Address {
  readonly url: URL;
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
}

/** Parsed URLs. A site calls few URLs repeatedly, and parsing one costs more than everything else here. */
const knownAddresses = new LRUCache<string, Address>({ max: 500 });
/** Characters. Longer URLs are not cached, because they may be unique. */
const maxKnown = 300;

/** Parses a URL. The returned object is shared and must not be changed. */
function known(text: string): Address {
  const held = knownAddresses.get(text);
  if (held) return held;
  const address = toAddress(text);
  if (text.length <= maxKnown) knownAddresses.set(text, address);
  return address;
}

function toAddress(text: string): Address {
  if (URL.canParse(text)) {
    const url = new URL(text);
    const { protocol, origin, pathname, search } = url;
    if (protocol === 'http:' || protocol === 'https:') return { url, origin, path: pathname + search };
  }
  throw new AppError('UPSTREAM_UNREACHABLE', "The channel's URL is not usable");
}

/**
 * Returns the headers as a flat list, which undici handles fastest. Compression is not requested, because a compressed
 * stream cannot be inspected as it arrives.
 */
function toFlatHeaders(headers: Record<string, string>): string[] {
  const flat = ['accept-encoding', 'identity'];
  for (const name in headers) flat.push(name, headers[name] ?? '');
  return flat;
}

/** Headers of the upstream's request id. The client's request id is always this server's. */
const requestIdNames = /^(?:x-request-id|request-id)$/;
const safeHeaders =
  /^(?:x-ratelimit-.*|anthropic-ratelimit-.*|openai-(?!organization|project).*|anthropic-(?!organization).*|retry-after|retry-after-ms|x-should-retry)$/;

/**
 * Selects the provider's response headers that a client may see: no cookies, lengths, hop-by-hop headers or account
 * ids.
 */
export function safeResponseHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const safe: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    const shown = requestIdNames.test(name) ? 'x-upstream-request-id' : name;
    if (shown !== name || safeHeaders.test(name)) safe[shown] = Array.isArray(value) ? (value[0] ?? '') : value;
  }
  return safe;
}

export interface PoolLimits {
  readonly connectTimeout: number;
  /** Maximum number of connections per origin. A streamed call uses one until it ends. */
  readonly connections: number;
  /** Maximum number of origins; the least recently used one is closed first. */
  readonly origins: number;
}

/** The limits in production. */
export const defaultPoolLimits: PoolLimits = { connectTimeout: 10_000, connections: 4096, origins: 500 };

/**
 * Pools of persistent connections, by proxy and origin. An admin's URL may be private, but never link-local or
 * metadata: the guard resolves names, and connections use exactly the addresses it checked.
 */
export class Pools {
  private readonly pools: LRUCache<string, Dispatcher>;
  private readonly connect: { readonly timeout: number; readonly lookup: ReturnType<OutboundGuard['lookup']> };

  constructor(
    private readonly guard: OutboundGuard,
    private readonly limits: PoolLimits = defaultPoolLimits,
  ) {
    this.connect = { timeout: limits.connectTimeout, lookup: guard.lookup('admin') };
    this.pools = new LRUCache({
      max: limits.origins,
      // Running requests finish; no new ones start.
      dispose: (pool) => void pool.close().catch(() => undefined),
    });
  }

  /**
   * Returns the pool for a URL.
   * @throws AppError UPSTREAM_UNREACHABLE when the URL, or the URL of the proxy, must not be called
   */
  for(url: URL, origin: string, proxy: string | undefined): Dispatcher {
    const key = proxy ? `${proxy} ${origin}` : origin;
    const known = this.pools.get(key);
    if (known) return known;
    this.check(url);
    const pool = proxy ? this.viaProxy(toProxyAddress(proxy)) : this.direct(origin);
    this.pools.set(key, pool);
    return pool;
  }

  /** Closes all connections. Running requests fail. */
  async close(): Promise<void> {
    const open = [...this.pools.values()];
    await Promise.all(open.map((pool) => pool.destroy(null)));
  }

  private direct(origin: string): Dispatcher {
    return new Pool(origin, { connections: this.limits.connections, pipelining: 1, connect: this.connect });
  }

  private viaProxy(address: URL): Dispatcher {
    this.check(new URL(`http://${address.host}`));
    const login = proxyCredentials(address);
    const { connections } = this.limits;
    if (address.protocol.startsWith('socks5')) {
      return new Socks5ProxyAgent(new URL(`socks5://${address.host}`), {
        connections,
        connect: buildConnector(this.connect),
        ...(login.username ? login : {}),
      });
    }
    const token = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`;
    return new ProxyAgent({
      uri: `${address.protocol}//${address.host}`,
      connections,
      connect: this.connect,
      proxyTls: this.connect,
      ...(login.username ? { token } : {}),
    });
  }

  private check(url: URL): void {
    try {
      this.guard.checkUrl(url, 'admin');
    } catch (error) {
      throw new AppError('UPSTREAM_UNREACHABLE', "The channel's URL must not be called", { cause: error });
    }
  }
}
