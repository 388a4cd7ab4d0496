/** Tests that each fact of the model has one form and one folder. Makers have `names-outside.test.ts`, shapes `shapes.test.ts`. */
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '../..');

const sources = ['server/src', 'client/src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => !/\.test\.|\.generated\.|\/(?:gql|testing)\//.test(file)),
);

/** Returns the files that have a match outside of comments. */
function filesWith(pattern: RegExp, leftOut: RegExp): string[] {
  return sources.filter((file) => {
    if (leftOut.test(file)) return false;
    const code = readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
    return pattern.test(code);
  });
}

const isImport = /^server\/src\/import\//;

it('names a payment provider in its own folder, in texts and in the import only', () => {
  const folder = 'server/src/billing/payments/providers';
  const providers = readdirSync(join(root, folder), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = providers.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['epay', 'stripe']));
  const texts = /^client\/src\/i18n\//;
  const outside = new RegExp(`^${folder}/|${isImport.source}|${texts.source}`);
  expect(filesWith(new RegExp(`\\b(?:${names.join('|')})\\b`, 'i'), outside)).toEqual([]);
});

it('the server asks for the kind of a price in the import only, where older programs have several', () => {
  expect(filesWith(/\bkind [!=]== '(?:ratio|call|card)'/, /^client\/|^server\/src\/import\//)).toEqual([]);
});

it('names the newest quantity of price in at most eight files', () => {
  const files = filesWith(/\bsecondWithAudio\b/, /^$/);
  expect(files).toContain('server/src/shared/price-quantities.ts');
  expect(files.length).toBeLessThanOrEqual(8);
});

it('describes a REST route at the route: there is no second list of fields', () => {
  expect(sources.filter((file) => file.endsWith('.openapi.ts'))).toEqual([]);
});

it('creates each table once, in the initial migrations, and adopts no table that is there', () => {
  const folder = join(root, 'server/src/platform/db/migrations');
  const text = readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
  const tables = [...text.matchAll(/CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?"?(\w+)/g)].map(([, name]) => name);
  expect(tables.length).toBeGreaterThan(30);
  expect(tables).toEqual([...new Set(tables)]);
  expect(text.match(/TABLE IF (?:NOT )?EXISTS|RENAME (?:TO|COLUMN)/g)).toBeNull();
});
