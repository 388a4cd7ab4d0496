/** The check that finds breaking changes of the GraphQL schema. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Change {
  readonly path: string;
  readonly announced: boolean;
}

const script = pathToFileURL(join(import.meta.dirname, '../../scripts/schema-changes.mjs')).href;
const folder = mkdtempSync(join(tmpdir(), 'tollgate-schema-changes-'));
const origin = join(folder, 'origin');

const git = (root: string, ...words: string[]): string =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...words], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });

function commit(schema: string, announcements: string): void {
  writeFileSync(join(origin, 'schema/schema.graphql'), schema);
  writeFileSync(join(origin, 'docs/schema-changes.md'), announcements);
  git(origin, 'add', '.');
  git(origin, 'commit', '-m', 'change');
}

/** In a process of its own, as `npm run check` runs it. */
function changesIn(root: string, environment: Record<string, string> = {}): Change[] {
  const code = `const { breakingChanges } = await import('${script}');
    console.log(JSON.stringify(await breakingChanges(${JSON.stringify(root)})));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, BASE_COMMIT: undefined, ...environment },
  });
  return JSON.parse(output) as Change[];
}

beforeAll(() => {
  mkdirSync(join(origin, 'schema'), { recursive: true });
  mkdirSync(join(origin, 'docs'));
  git(origin, 'init', '--initial-branch=main');
  commit('type Query { one: Int two: Int three: Int }', '');
  commit('type Query { one: Int two: Int }', '`Query.three` is gone.');
  commit('type Query { one: Int }', '`Query.three` is gone.');
});
afterAll(() => rmSync(folder, { recursive: true }));

const removedTwo = [
  { path: 'Query.two', announced: false, message: "Field 'two' was removed from object type 'Query'" },
];

it('compares with the parent of the current commit', () => {
  expect(changesIn(origin)).toEqual(removedTwo);
});

it('compares with the base commit that the environment names', () => {
  const changes = changesIn(origin, { BASE_COMMIT: git(origin, 'rev-parse', 'HEAD~2').trim() });
  expect(changes.map(({ path, announced }) => [path, announced])).toEqual([
    ['Query.two', false],
    ['Query.three', true],
  ]);
});

it('compares with the commit where a branch left the main branch', () => {
  const clone = join(folder, 'branch');
  git(folder, 'clone', '--quiet', origin, clone);
  git(clone, 'checkout', '--quiet', '-b', 'topic');
  git(clone, 'commit', '--quiet', '--allow-empty', '-m', 'no change of the schema');
  expect(changesIn(clone)).toEqual([]);
});

it('fetches the parent that a shallow clone lacks', () => {
  const clone = join(folder, 'shallow');
  git(folder, 'clone', '--quiet', '--depth=1', pathToFileURL(origin).href, clone);
  expect(changesIn(clone)).toEqual(removedTwo);
});

it('fails where there is nothing to compare with', () => {
  const clone = join(folder, 'cut-off');
  git(folder, 'clone', '--quiet', '--depth=1', pathToFileURL(origin).href, clone);
  git(clone, 'remote', 'set-url', 'origin', join(folder, 'missing'));
  expect(() => changesIn(clone)).toThrow(/missing/);
  const bare = mkdtempSync(join(folder, 'no-git-'));
  expect(() => changesIn(bare)).toThrow(/git/);
});
