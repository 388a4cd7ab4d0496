import { BlockList, isIP, isIPv6 } from 'node:net';
import { addRange } from './address-class.js';

/**
 * The allow list of a token (docs/reference/relay/access.md#order-of-checks). An empty list admits every address. A list
 * with an invalid entry admits none.
 */
export class AllowList {
  private readonly list = new BlockList();
  private readonly isEmpty: boolean;
  private readonly isValid: boolean;

  /** @param entries addresses and CIDR ranges */
  constructor(entries: readonly string[]) {
    this.isEmpty = entries.length === 0;
    this.isValid = entries.every((entry) => addRange(this.list, entry));
  }

  allows(address: string): boolean {
    return this.isEmpty || (this.isValid && this.contains(address));
  }

  private contains(address: string): boolean {
    // Dual-stack sockets report an IPv4 caller as ::ffff:a.b.c.d.
    const plain = address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
    const family = isIP(plain);
    return family !== 0 && this.list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  }
}
