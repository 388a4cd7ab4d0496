import { LRUCache } from 'lru-cache';
import { buildConnector, Pool, ProxyAgent, Socks5ProxyAgent, type Dispatcher } from 'undici';
import type { OutboundGuard } from '../../outbound/outbound-guard.js';
import { AppError } from '../../shared/errors.js';
import { proxyCredentials, toProxyAddress } from './proxy-address.js';

export interface PoolLimits {
  readonly connectTimeout: number;
  /** Connections to one origin. A streamed call holds one for its whole life. */
  readonly connections: number;
  /** Origins kept; the one used longest ago is closed first. */
  readonly origins: number;
}

export const defaultPoolLimits: PoolLimits = { connectTimeout: 10_000, connections: 4096, origins: 500 };

/**
 * Connections that stay open, by proxy and origin. An admin's address may be private, but never link-local or metadata:
 * names are resolved by the guard, and the connection goes to what it checked.
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
      // Calls on it go on to their end; nothing new starts.
      dispose: (pool) => void pool.close().catch(() => undefined),
    });
  }

  /** @throws AppError UPSTREAM_UNREACHABLE when the address, or that of the proxy, may not be called */
  for(url: URL, proxy: string | undefined): Dispatcher {
    const key = proxy ? `${proxy} ${url.origin}` : url.origin;
    const known = this.pools.get(key);
    if (known) return known;
    this.check(url);
    const pool = proxy ? this.viaProxy(toProxyAddress(proxy)) : this.direct(url.origin);
    this.pools.set(key, pool);
    return pool;
  }

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
      throw new AppError('UPSTREAM_UNREACHABLE', 'The address of the channel may not be called', { cause: error });
    }
  }
}
