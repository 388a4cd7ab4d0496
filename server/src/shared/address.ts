import { isIPv4, isIPv6 } from 'node:net';
import { headerValues } from './comma-list.js';

/** Returns the key of a caller in rate limits. An IPv6 /64 counts as one caller. */
export function addressKey(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = (plain.split('%')[0] ?? '').split('::');
  const left = head.split(':').filter(Boolean);
  const right = tail?.split(':').filter(Boolean) ?? [];
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/**
 * Returns the addresses of `X-Forwarded-For` without the ports that some proxies add. With its port, every connection
 * of a client would count as another client.
 */
export const withoutPorts = (forwardedFor: string): string =>
  headerValues(forwardedFor)
    .map((entry) => entry.replace(/^\[([\da-f:.]+)\](:\d+)?$/i, '$1').replace(/^([\d.]+):\d+$/, '$1'))
    .join(', ');

/**
 * Returns the scheme by which the client reached the first trusted proxy.
 * @param hops number of addresses of `X-Forwarded-For` that were read, from its end, to find the client's
 */
export function protocolOf(forwardedProto: string, forwardedFor: string, hops: number): string {
  const values = headerValues(forwardedProto);
  // Without a value for each address, the first is the only one that may be the client's.
  const isParallel = hops > 0 && values.length === headerValues(forwardedFor).length;
  return (values.at(isParallel ? -hops : 0) ?? '').toLowerCase();
}

interface AddressRange {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
  /** Length of the prefix; null for a single address. */
  readonly bits: number | null;
}

/** Parses an IP address or CIDR range. @returns null for anything else, also for an address with a zone */
export function parseRange(text: string): AddressRange | null {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : null;
  if (!family || address.includes('%') || rest.length > 0) return null;
  if (bits === undefined) return { address, family, bits: null };
  const isPrefix = /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 'ipv4' ? 32 : 128);
  return isPrefix ? { address, family, bits: Number(bits) } : null;
}

export const isAddressOrRange = (text: string): boolean => parseRange(text) !== null;
