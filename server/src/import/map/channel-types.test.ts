import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { providerOf, providers } from '../../dialects/makers/providers.js';
import { firstOwnType, mapType } from './channel-types.js';

/** The channel types of other programs: the maker, and the address that gets the keys if the program has one. */
const numbers = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../tests/fixtures/channel-numbers.json'), 'utf8'),
) as Readonly<Record<'one-api' | 'veloera' | 'new-api' | 'one-hub', Readonly<Record<string, string>>>>;
const imported = ['one-api', 'veloera', 'new-api', 'one-hub'] as const;

/** The type of custom channels with chosen endpoints. new-api uses the same number for another provider. */
const chosenEndpoints = 58;
/**
 * Types without an address in this product, with their hosts in other programs. The channel names its address, or the
 * codec takes it from the key or the region.
 */
const withoutAddress: Readonly<Record<number, RegExp>> = {
  11: /^$|^generativelanguage\.googleapis\.com$/,
  18: /^$|\.xf-yun\.com$/,
  33: /^$/,
  36: /^$/,
  41: /^$/,
  47: /^$/,
};

const hostOf = (address: string): string => (address === '' ? '' : new URL(address).hostname);

describe.each(imported)('a channel of %s', (family) => {
  const types = Object.entries(numbers[family]).map(([number, entry]) => {
    const [maker = '', address = ''] = entry.split(' ');
    return [Number(number), maker, hostOf(address)] as const;
  });

  it.each(types)('of type %i, %s, sends its keys to the host that it had there, or serves nothing', (type, _, host) => {
    const mapping = mapType(family, type, []);
    if (mapping === null) return;
    const provider = providerOf(mapping.type);
    const needsBaseUrl = mapping.needsBaseUrl ?? provider.needsBaseUrl;
    const here = needsBaseUrl ? '' : hostOf(mapping.baseUrl ?? provider.defaultBaseUrl);
    if (here === '') expect(needsBaseUrl || withoutAddress[mapping.type]?.test(host)).toBe(true);
    else expect(here).toBe(host);
  });

  it('has no type here where its program has none', () => {
    const known = new Set(types.map(([type]) => type));
    const candidates = [...Array(firstOwnType + 100).keys(), ...providers.map(({ id }) => id)];
    expect(candidates.filter((type) => !known.has(type) && mapType(family, type, []) !== null)).toEqual([]);
  });
});

describe('the number of a provider', () => {
  it('is that of the same maker in new-api, or an own one', () => {
    const own = providers.filter(({ id, offered }) => offered && mapType('new-api', id, [])?.type !== id);
    expect(own.map(({ id }) => id).filter((id) => id < firstOwnType)).toEqual([chosenEndpoints]);
    expect(imported.map((family) => mapType(family, chosenEndpoints, []))).toEqual([null, null, null, null]);
  });

  it('is above those of all programs if it is an own one', () => {
    const used = Object.values(numbers).flatMap((types) => Object.keys(types).map(Number));
    expect(Math.max(...used)).toBeLessThan(firstOwnType);
  });
});
