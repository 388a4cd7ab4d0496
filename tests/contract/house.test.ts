/** Tests the figures that keep the repository readable for a newcomer. Documents have theirs in `documentation.test.ts`. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

it('there are at most 20 commands, and the daily ones come first', () => {
  const names = Object.keys(manifest.scripts);
  expect(names.slice(0, 5)).toEqual(['start', 'test', 'check', 'build', 'format']);
  expect(names.length).toBeLessThanOrEqual(20);
});

it('one call has few names: at most eight types of the server end in Call', () => {
  const folder = join(root, 'server/src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const names = files.flatMap((name) => {
    const declared = readFileSync(join(folder, name), 'utf8').matchAll(
      /^(?:export )?(?:abstract )?(?:interface|class|type) (\w*Call)\b/gm,
    );
    return [...declared].map((match) => match[1] ?? '');
  });
  expect(names).toContain('Call');
  expect(names.toSorted().slice(8)).toEqual([]);
});

it('a file that is named a service has one', () => {
  const folder = join(root, 'server/src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.service\.ts$/.test(name),
  );
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((name) => !/^export class \w+Service\b/m.test(readFileSync(join(folder, name), 'utf8')))).toEqual(
    [],
  );
});

it('the changelog is one page before the first release', () => {
  const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const [, unreleased = ''] = text.split('## [Unreleased]');
  expect(unreleased).not.toBe('');
  if (!/^## \[\d/m.test(text)) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(5 * 1024);
});

/** Changes that contributors make most, by their row in ARCHITECTURE.md and their recipe. */
const commonChanges = [
  ...['a provider', 'a payment method', 'a setting', 'a list screen', 'a price quantity', 'a relay endpoint'],
  ...['a field of Token', 'a language', 'a limit', 'an alert'],
];

it('ARCHITECTURE.md is one page with one picture, and says where each common change begins', () => {
  const text = readFileSync(join(root, 'server/ARCHITECTURE.md'), 'utf8');
  expect(text.split('\n').length).toBeLessThanOrEqual(100);
  expect(text.match(/^```/gm)?.length).toBeLessThanOrEqual(4);
  const [, table = ''] = text.split('## Where do I add …');
  const rows = [...table.matchAll(/^\| (an? [^|]*?) +\| \S/gm)].map(([, name]) => name);
  expect(rows).toEqual(expect.arrayContaining(commonChanges));
});

it('each common change has its recipe', () => {
  const text = readFileSync(join(root, 'docs/guide/contributing.md'), 'utf8');
  const recipes = [...text.matchAll(/^## (.*)$/gm)].map(([, name = '']) => name.toLowerCase());
  expect(recipes).toEqual(expect.arrayContaining(commonChanges.map((name) => name.toLowerCase())));
});

it('nothing of Jest or of the module loader is replaced for the tests', () => {
  const folder = join(root, 'tests/support');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.([cm]?js|ts)$/.test(name),
  );
  const replaced = /\.AsyncLocalStorage\s*=[^=]|jest-(runtime|circus)|Module\._|registerHooks/;
  expect(files).toContain('environment.mjs');
  expect(files.filter((name) => replaced.test(readFileSync(join(folder, name), 'utf8')))).toEqual([]);
});
