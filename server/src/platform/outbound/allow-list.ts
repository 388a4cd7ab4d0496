import { BlockList, isIP, isIPv6 } from 'node:net';
import { addRange } from './address-class.js';

/**
 * Returns the allow list of a token (docs/reference/relay/access.md#order-of-checks).
 * @param entries addresses and CIDR ranges
 * @returns null without entries: every address is allowed
 */
export const allowListOf = (entries: readonly string[]): AllowList | null =>
  entries.length === 0 ? null : new AllowList(entries);

/** The addresses that a token allows. A list with an invalid entry allows none. */
export class AllowList {
  private readonly list = new BlockList();
  private readonly isValid: boolean;

  constructor(entries: readonly string[]) {
    this.isValid = entries.every((entry) => addRange(this.list, entry));
  }

  allows(address: string): boolean {
    return this.isValid && this.contains(address);
  }

  private contains(address: string): boolean {
    // Dual-stack sockets report an IPv4 caller as ::ffff:a.b.c.d.
    const plain = address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
    const family = isIP(plain);
    return family !== 0 && this.list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  }
}
