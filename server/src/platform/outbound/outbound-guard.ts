import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';
import { AppError, InvalidInputError } from '../../shared/errors.js';
import { addRange, classify } from './address-class.js';

/**
 * `public-only` applies to calls that users can cause, and to discovered addresses. `admin` applies to base URLs and
 * proxies that an admin configured, which may be private, for Ollama, vLLM and proxies.
 */
export type OutboundPolicy = 'public-only' | 'admin';

export type Resolver = (
  hostname: string,
  options: { readonly all: true; readonly family?: number },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

const resolveBySystem: Resolver = (hostname, options, callback) => {
  systemLookup(hostname, options, callback);
};

const publicPorts: readonly number[] = [80, 443, 8080, 8443];

/**
 * Decides which addresses outbound calls may reach. Names are resolved once, so the checked address is the one used.
 */
export class OutboundGuard {
  private readonly allowedHosts = new Set<string>();
  private readonly allowedRanges = new BlockList();

  /** @param allow OUTBOUND_ALLOW: hosts and CIDR ranges that are allowed under every policy */
  constructor(
    allow: readonly string[] = [],
    private readonly resolve: Resolver = resolveBySystem,
  ) {
    for (const entry of allow) {
      if (!addRange(this.allowedRanges, entry)) this.allowedHosts.add(entry.toLowerCase());
    }
  }

  /** @param address an IP address, resolved already */
  isAllowed(address: string, policy: OutboundPolicy): boolean {
    const kind = classify(address);
    return kind === 'public' || (kind === 'private' && policy === 'admin') || this.isOpened(address);
  }

  /**
   * Checks a URL before its name is resolved: scheme, credentials, port, and literal addresses (which a connection uses
   * without `lookup`).
   * @throws AppError INVALID_INPUT
   */
  checkUrl(url: URL, policy: OutboundPolicy): void {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw new InvalidInputError('Only http:// and https:// addresses can be called');
    }
    if (url.username || url.password) throw new InvalidInputError('A URL must not contain a user name or password');
    const host = bareHost(url);
    const literal = isIP(host) !== 0;
    if (this.allowedHosts.has(host) || (literal && this.isOpened(host))) return;
    if (literal && !this.isAllowed(host, policy)) throw refused();
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
    if (policy === 'public-only' && !publicPorts.includes(port)) {
      throw new InvalidInputError('This port cannot be called');
    }
  }

  /** Returns the `connect.lookup` of an HTTP client. One refused address refuses the name. */
  lookup(policy: OutboundPolicy): LookupFunction {
    return (hostname, options, callback) => {
      const family = options.family === 4 || options.family === 6 ? { family: options.family } : {};
      this.resolve(hostname, { all: true, ...family }, (error, addresses) => {
        const fail = (problem: Error): void => callback(problem, '', 0);
        if (error) return fail(error);
        const open = this.allowedHosts.has(hostname.toLowerCase());
        if (!open && !addresses.every(({ address }) => this.isAllowed(address, policy))) return fail(refused());
        const first = addresses[0];
        if (!first) return fail(new Error(`${hostname} has no address`));
        if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      });
    };
  }

  private isOpened(address: string): boolean {
    return isIP(address) !== 0 && this.allowedRanges.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  }
}

const bareHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').toLowerCase();

const refused = (): AppError => new AppError('INVALID_INPUT', 'This address cannot be called from here');
