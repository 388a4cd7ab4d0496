import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { paymentMethodIds, paymentProviders } from './providers/all.js';
import { permissionsToWrite } from '../../options/option-permissions.js';
import { defaultOptionValues, definitionOf, optionKeys } from '../../options/option-registry.js';

const root = join(import.meta.dirname, '../../../..');

/** Files that have the names of a provider for a reason of their own. */
const allowed = [
  /^server\/src\/billing\/payments\/providers\//,
  // Names of settings, as the wire of the older consoles has them.
  /^server\/src\/options\/option-(registry|permissions)\.ts$/,
  /^client\/src\/nouns\/settings\/settingsCatalog\.ts$/,
  /^client\/src\/i18n\/\w+\/settingTexts\.ts$/,
  // Orders of other programs.
  /^server\/src\/import\/map\/orders\.ts$/,
];

const methods = paymentProviders.flatMap((provider) => provider.methods(defaultOptionValues()));
const names = [...paymentProviders.map(({ name }) => name), ...methods.flatMap(({ id, aliases }) => [id, ...aliases])];

const sources = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((file) => file.isFile() && /\.(ts|tsx|graphql)$/.test(file.name))
    .filter((file) => !/\.test\.tsx?$|\.generated\.ts$/.test(file.name))
    .map((file) => relative(root, join(file.parentPath, file.name)))
    .filter((file) => !file.startsWith('client/src/testing/'));

it('no code outside of the folder of a provider has its name or the names of its methods', () => {
  const files = [...sources('server/src'), ...sources('client/src')];
  expect(files.length).toBeGreaterThan(1000);
  // `wx` is a word of its own. The others may stand within another word, such as EpayKey.
  const long = names.filter((name) => name.length > 2);
  const written = long.flatMap((name) => [name, name.charAt(0).toUpperCase() + name.slice(1), name.toUpperCase()]);
  const pattern = new RegExp(written.join('|'));
  const found = files
    .filter((file) => !allowed.some((one) => one.test(file)))
    .filter((file) => pattern.test(readFileSync(join(root, file), 'utf8')));
  expect(found).toEqual([]);
});

it('has every name once, in lower case, and none that stands for other methods', () => {
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !/^[a-z0-9_]+$/.test(name) || name === 'other')).toEqual([]);
  expect(paymentMethodIds).toEqual(methods.map(({ id }) => id));
});

it.each(paymentProviders.map(({ name }) => name))('settings of %s need the permission for payments', (name) => {
  const keys = optionKeys.filter((key) => key.toLowerCase().startsWith(name));
  expect(keys).not.toEqual([]);
  for (const key of keys) {
    expect([key, definitionOf(key).writer, permissionsToWrite(key)]).toEqual([key, 'root', ['payments.settings']]);
  }
});
