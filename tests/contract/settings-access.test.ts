/** @jest-environment ./tests/support/browser-environment.mjs */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { may } from '../../client/src/lib/permissions.js';
import { mayOpenSetting } from '../../client/src/nouns/settings/settingsAccess.js';
import { priceKeys, priceSettings, priceSyncSettings } from '../../client/src/nouns/settings/priceSettings.js';
import { settingsByKey } from '../../client/src/nouns/settings/settingsByKey.js';
import { optionPermissions, permissionsToWrite, priceOptions } from '../../server/src/options/option-permissions.js';
import { isOptionKey, optionKeys } from '../../server/src/options/option-registry.js';
import { permissions, withImplied, type Permission } from '../../server/src/shared/permission.js';

/**
 * A table of the console decides which settings it shows. It must show no setting that the server does not send to the user,
 * and every setting that the user has a permission for.
 */

const onScreens = [
  ...new Set([...settingsByKey.keys(), ...[...priceSettings, ...priceSyncSettings].map(({ key }) => key)]),
];

const userWith = (...names: readonly Permission[]) => ({
  id: 3,
  username: 'mira',
  displayName: '',
  role: 1,
  status: 1,
  group: 'default',
  permissions: withImplied(names).map((name) => name.toUpperCase().replace('.', '_')),
});

/** Returns the settings that `OptionService.list` returns to a user with exactly these permissions. */
function sent(names: readonly Permission[]): readonly string[] {
  const held = new Set<string>(withImplied(names));
  if (!optionPermissions.some((one) => held.has(one))) return [];
  if (held.has('options')) return optionKeys;
  return optionKeys.filter((key) => permissionsToWrite(key)?.every((one) => held.has(one)) ?? false);
}

const shown = (names: readonly Permission[]) => onScreens.filter((key) => mayOpenSetting(userWith(...names), key));

/**
 * The permissions of the tests: every set of those that settings need, and each other permission alone and with `options`.
 */
const some: readonly Permission[] = [
  'options',
  'prices',
  'prices.sync',
  'payments.settings',
  'users.quota',
  'logs.content',
];
const subsets = some.reduce<Permission[][]>((sets, one) => [...sets, ...sets.map((set) => [...set, one])], [[]]);
const others = permissions.filter((one) => !some.includes(one));
const cases = [...subsets, ...others.flatMap((one) => [[one], [one, 'options' as const]])].map((set) => [set] as const);

/** The options that have no effect here and are accepted for older clients, by the reference. */
const withoutEffect = readFileSync(join(import.meta.dirname, '../../docs/reference/rest/options.md'), 'utf8')
  .split('\n')
  .filter((line) => line.includes('Accepted, without effect'))
  .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].flatMap(([, key]) => key ?? []));

it('the screens have every setting that has an effect', () => {
  expect(onScreens.filter((key) => !isOptionKey(key))).toEqual([]);
  expect(withoutEffect).toHaveLength(6);
  expect(optionKeys.filter((key) => !onScreens.includes(key)).toSorted()).toEqual(withoutEffect.toSorted());
});

it.each(cases)('%j shows no setting that the server keeps back', (set) => {
  const known = new Set(sent(set));
  expect(shown(set).filter((key) => !known.has(key))).toEqual([]);
});

it.each(cases)('%j misses no setting that the server sends for it', (set) => {
  const visible = new Set(shown(set));
  // With `options` alone, the server also sends prices, but their screens need the permission to change them.
  const held = new Set<string>(withImplied(set));
  const needs = (key: string) => (isOptionKey(key) && permissionsToWrite(key)) || [];
  const closed = (key: string) =>
    held.has('options') &&
    key !== 'QuotaPerUnit' &&
    needs(key).some((one) => (one === 'prices' || one === 'prices.sync') && !held.has(one));
  const expected = sent(set).filter((key) => onScreens.includes(key) && !closed(key));
  expect(expected.filter((key) => !visible.has(key))).toEqual([]);
});

it('the console shows the history of every setting that decides prices', () => {
  expect(priceKeys.toSorted()).toEqual(priceOptions.toSorted());
});

it('the console knows every permission, and which of them only root holds', () => {
  const root = { ...userWith(), permissions: [], role: 100 };
  const admin = { ...root, role: 10 };
  for (const name of permissions) {
    const one = name.toUpperCase().replace('.', '_') as Parameters<typeof may>[1];
    expect([name, may(userWith(name), one), may(root, one)]).toEqual([name, true, true]);
    const needsRoot = ['prices.sync', 'payments.settings', 'logs.captures', 'audit'].includes(name);
    expect([name, may(admin, one)]).toEqual([name, !needsRoot]);
  }
});
