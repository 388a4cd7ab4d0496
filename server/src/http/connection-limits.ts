import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { BlockList, isIPv6, type Socket } from 'node:net';
import { addRange } from '../outbound/address-class.js';
import { addressKey } from '../shared/address.js';

export interface ConnectionLimits {
  /**
   * Maximum number of client connections; 0: the descriptor limit of the process minus a reserve for databases,
   * upstreams and files.
   */
  readonly total: number;
  /** Maximum number of client connections per address (per /64 for IPv6); 0: half of `total`. */
  readonly perAddress: number;
}

/** Used where the descriptor limit cannot be read (macOS, Windows). */
const defaultDescriptors = 8192;
/** A relayed call needs a second descriptor for its upstream, and the databases and files need some. */
const reserve = 200;

/** Names that TRUSTED_PROXIES may use for whole ranges. */
const namedRanges: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/**
 * Keeps file descriptors free for the server itself, and for other clients when one address opens as many connections
 * as it can. Connections of trusted proxies are not counted by address, because all clients share them.
 */
export function limitConnections(server: Server, limits: ConnectionLimits, trustedProxies: readonly string[]): void {
  const total = limits.total || Math.max(50, Math.floor((maxDescriptors() - reserve) / 2));
  const perAddress = limits.perAddress || Math.max(25, Math.floor(total / 2));
  server.maxConnections = total;
  const proxies = new BlockList();
  for (const range of trustedProxies.flatMap((entry) => namedRanges[entry] ?? [entry])) addRange(proxies, range);
  const counts = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
    if (address === '' || proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return;
    const key = addressKey(address);
    const count = (counts.get(key) ?? 0) + 1;
    if (count > perAddress) {
      socket.destroy();
      return;
    }
    counts.set(key, count);
    socket.once('close', () => {
      const left = (counts.get(key) ?? 1) - 1;
      if (left > 0) counts.set(key, left);
      else counts.delete(key);
    });
  });
}

function maxDescriptors(): number {
  try {
    const line = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return line ? Number(line[1]) : defaultDescriptors;
  } catch {
    return defaultDescriptors;
  }
}
