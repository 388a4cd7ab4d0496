import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { parseRange } from '../../shared/address.js';

/**
 * Class of an address: `public` internet, `private` machines or networks, `forbidden` for every request (link-local,
 * cloud metadata, multicast, unspecified, reserved).
 */
export type AddressClass = 'public' | 'private' | 'forbidden';

const blockList = (ranges: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const range of ranges) addRange(list, range);
  return list;
};

/** @param range an address or CIDR range @returns false when it is neither */
export function addRange(list: BlockList, range: string): boolean {
  const parsed = parseRange(range);
  if (!parsed) return false;
  const { address, family, bits } = parsed;
  if (bits === null) list.addAddress(address, family);
  else list.addSubnet(address, bits, family);
  return true;
}

const forbidden = blockList([
  '0.0.0.0/8',
  '169.254.0.0/16',
  // Metadata and machine agents outside link-local: Alibaba, Oracle, Azure, AWS over IPv6.
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd20:ce::254',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  'fe80::/10',
  'ff00::/8',
]);

const privateRanges = blockList([
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '::1/128',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fec0::/10',
]);

/** @param address an IPv4 or IPv6 literal without brackets or zone; anything else is forbidden */
export function classify(address: string): AddressClass {
  if (isIPv4(address)) return classOf(address, 'ipv4');
  if (!isIPv6(address) || address.includes('%')) return 'forbidden';
  const inner = embeddedIPv4(address);
  if (inner) return classOf(inner, 'ipv4');
  return classOf(address, 'ipv6');
}

/** Whether what is sent to this URL is unreadable on the internet: it is encrypted, or stays on private networks. */
export function keepsSecrets(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, '');
  // A name without a dot is one of this machine or network.
  return protocol === 'https:' || (isIP(host) === 0 ? !host.includes('.') : classify(host) !== 'public');
}

function classOf(address: string, family: 'ipv4' | 'ipv6'): AddressClass {
  if (forbidden.check(address, family)) return 'forbidden';
  return privateRanges.check(address, family) ? 'private' : 'public';
}

/** The IPv4 address embedded in an IPv6 address: mapped, compatible, translated (NAT64) or 6to4. */
function embeddedIPv4(address: string): string | null {
  const words = expand(address);
  const startsWith = (...prefix: number[]): boolean => prefix.every((word, index) => words[index] === word);
  const dotted = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');
  if (startsWith(0x2002)) return dotted(words[1], words[2]);
  const last = dotted(words[6], words[7]);
  const isMapped = startsWith(0, 0, 0, 0, 0, 0xffff) || startsWith(0, 0, 0, 0, 0xffff, 0);
  const isTranslated = startsWith(0x64, 0xff9b, 0, 0, 0, 0);
  // `::` and `::1` are not IPv4-compatible addresses.
  const isCompatible = startsWith(0, 0, 0, 0, 0, 0) && (words[6] !== 0 || (words[7] ?? 0) > 1);
  return isMapped || isTranslated || isCompatible ? last : null;
}

/** The eight words of a valid IPv6 address. */
function expand(address: string): number[] {
  const plain = address.replace(
    /(\d+)\.(\d+)\.(\d+)\.(\d+)$/,
    (_match, a: string, b: string, c: string, d: string) =>
      `${((Number(a) << 8) | Number(b)).toString(16)}:${((Number(c) << 8) | Number(d)).toString(16)}`,
  );
  const [head = '', tail] = plain.split('::');
  const words = (text: string): number[] => (text === '' ? [] : text.split(':').map((word) => parseInt(word, 16)));
  if (tail === undefined) return words(head);
  const [front, back] = [words(head), words(tail)];
  return [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back];
}
