import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/*
 * An import runs in a process of its own. The server has its console pages, and loads none of the readers, mappers and price rules.
 */
const root = join(import.meta.dirname, '..');

const declarations = /^(?:import|export) (?!type )([^'";]*?)from '([^']+)'|^import '([^']+)'/gm;
const namesTypesOnly = (names: string): boolean =>
  /^\{[^]*\}\s*$/.test(names) &&
  names
    .slice(1, names.lastIndexOf('}'))
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
    .every((name) => name.startsWith('type '));

/** Returns what a file loads when it is loaded: packages, and files as they are written in an import. */
function loadedBy(file: string): string[] {
  const found = [...readFileSync(file, 'utf8').matchAll(declarations)];
  return found.flatMap(([, names = '', from, alone]) => (namesTypesOnly(names) ? [] : [from ?? alone ?? '']));
}

/** Adds a file, and all files that are loaded with it. */
function follow(file: string, loaded: Set<string>): Set<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  for (const name of loadedBy(file)) {
    if (name.startsWith('.')) follow(join(dirname(file), name.replace(/\.js$/, '.ts')), loaded);
  }
  return loaded;
}

it('the server loads the console of the import, and of the rest only what the pages show', () => {
  const loaded = [...follow(join(root, 'container.ts'), new Set())].map((file) => relative(root, file));
  expect(loaded.length).toBeGreaterThan(1000);
  const ofImport = loaded.filter((file) => file.startsWith('import/')).sort();
  expect(ofImport).toContain('import/console/import.resolver.ts');
  expect(ofImport.filter((file) => !file.startsWith('import/console/'))).toEqual([
    'import/findings.ts',
    'import/job-protocol.ts',
    'import/map/held-values.ts',
    'import/report.ts',
    'import/source/address.ts',
    'import/source/source.ts',
    'import/write/site.ts',
  ]);
});

it('nothing loads the packages that read MySQL and SQLite before they are needed', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const readers = files.filter((name) =>
    loadedBy(join(root, name)).some((from) => /^(?:mysql2|node-sqlite3-wasm)\b/.test(from)),
  );
  expect(readers).toEqual([]);
});
