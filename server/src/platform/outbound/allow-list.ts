import { BlockList, isIP, isIPv6 } from 'node:net';
import { boundedCache } from '../../shared/bounded-cache.js';
import { addRange } from './address-class.js';

/** Parsed addresses and CIDR ranges. Null: the list contains an invalid entry, so it admits no address. */
type AddressList = BlockList | null;

const parsed = boundedCache<string, { readonly list: AddressList }>({ max: 5000 });

/**
 * Whether a token's allow list admits an address (docs/reference/relay/access.md#order-of-checks). An empty list admits
 * every address.
 * @param text one address or CIDR range per line; commas and spaces around entries are ignored
 */
export function allowsAddress(text: string, address: string): boolean {
  if (text === '') return true;
  let entry = parsed.get(text);
  if (!entry) parsed.set(text, (entry = { list: parse(text) }));
  const { list } = entry;
  return list !== null && contains(list, address);
}

function parse(text: string): AddressList {
  const entries = text
    .split(/[\n\r,]+/)
    .map((line) => line.trim())
    .filter(Boolean);
  const list = new BlockList();
  for (const entry of entries) if (!addRange(list, entry)) return null;
  return list;
}

function contains(list: BlockList, address: string): boolean {
  // Dual-stack sockets report an IPv4 caller as ::ffff:a.b.c.d.
  const plain = address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
  const family = isIP(plain);
  return family !== 0 && list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
}
