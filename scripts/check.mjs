/**
 * `npm run check`: every static check of the code, two at a time, then a summary. The last line is `N passed, N
 * failed`. `npm run check -- --dirty` allows uncommitted changes, for use before a commit; `npm run check -- lint
 * arrows` runs only these.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt, root } from './build.mjs';
import { brokenReferences } from './references.mjs';
import { announcements, breakingChanges } from './schema-changes.mjs';
import { countsOf, findWords, lineOf } from './vocabulary.mjs';

const bin = (name) => join(root, 'node_modules/.bin', name);
/** The format of a file depends on nothing else, so an old result is never wrong. */
const formatCache = ['--cache', '--cache-strategy', 'content', '--cache-location', '.cache/prettier'];
/**
 * TypeScript 7 (the alias `ts7`) checks types several times faster than 6, but its package has no API, which typescript-eslint and the
 * code generator need. Both packages bring a `tsc`, so this one is called by its path.
 */
const checkTypes = (project) => run(process.execPath, 'node_modules/ts7/bin/tsc', '-p', project, '--noEmit');

const steps = {
  schema: schemaDrift,
  breaking: brokenPromises,
  codegen: () => run(bin('graphql-codegen')),
  // In parts: the types of all parts together do not fit in the memory that Node takes by itself.
  'lint of the server': () => lint('server'),
  'lint of the client': () => lint('client'),
  'lint of the rest': () => lint('.', '--ignore-pattern', 'server', '--ignore-pattern', 'client'),
  'types of the server': () => checkTypes('server'),
  'types of the tests': () => checkTypes('tests'),
  'types of the client': () => checkTypes('client'),
  format: () => run(bin('prettier'), '--check', '--log-level', 'warn', ...formatCache, '.'),
  arrows: () => run(bin('depcruise'), '--config', '.dependency-cruiser.mjs', 'server', 'client', 'tests', 'scripts'),
  unused: () => run(bin('knip'), '--no-progress', '--no-config-hints'),
  references,
  vocabulary,
  tree: cleanTree,
};

/** One after another, before the others: the client's types need the generated code, which needs the schema. */
const first = ['schema', 'breaking', 'codegen'];
/** After all others, which might write something. */
const last = ['tree'];
/** Lint takes as long as all others together. */
const stepsAtOnce = 2;

const parameters = process.argv.slice(2);
const allowDirty = parameters.includes('--dirty');
const chosen = parameters.filter((parameter) => !parameter.startsWith('--'));
const results = [];

const isWanted = (name) => chosen.length === 0 || chosen.some((word) => name.includes(word));
const middle = Object.keys(steps).filter((name) => !first.includes(name) && !last.includes(name));

await take(first, 1);
await take(middle, stepsAtOnce);
await take(last, 1);

const failed = results.filter((passed) => !passed).length;
console.log(`\n${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 || results.length === 0 ? 1 : 0;

async function take(names, atOnce) {
  const waiting = names.filter(isWanted);
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await perform(name);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

async function perform(name) {
  const begun = Date.now();
  const { passed, said } = await Promise.resolve()
    .then(steps[name])
    .then(
      (text) => ({ passed: true, said: text }),
      (error) => ({ passed: false, said: error.message }),
    );
  results.push(passed);
  if (said.trim()) console.log(`\n${said.trim()}\n`);
  console.log(`${passed ? 'ok    ' : 'FAILED'}  ${name.padEnd(20)} ${((Date.now() - begun) / 1000).toFixed(1)} s`);
}

/** The committed schema equals the one generated from the code. */
async function schemaDrift() {
  await ensureBuilt(['server'], () => undefined);
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-schema-'));
  const emitted = join(folder, 'schema.graphql');
  try {
    await run(process.execPath, 'dist/server/compose/emit-schema.main.js', emitted);
    if (readFileSync(emitted, 'utf8') === readFileSync(join(root, 'schema/schema.graphql'), 'utf8')) return '';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  throw new Error('schema/schema.graphql is not what the code says: run "npm run schema" and commit it');
}

/** Every breaking change of the schema is announced. */
async function brokenPromises() {
  const changes = await breakingChanges(root);
  const lines = changes.map(
    ({ path, message, announced }) => `${announced ? 'announced' : 'MISSING  '}  ${path}: ${message}`,
  );
  const missing = changes.filter(({ announced }) => !announced);
  if (missing.length === 0) return lines.join('\n');
  throw new Error(`${lines.join('\n')}\n\nAdd every breaking change to ${announcements}, with its path in backquotes.`);
}

function lint(...parameters) {
  return run(bin('eslint'), ...parameters, '--max-warnings', '0');
}

/** Links, and references from code to documents, resolve. */
function references() {
  const broken = brokenReferences();
  if (broken.length === 0) return '';
  throw new Error(`These pointers do not resolve:\n${broken.join('\n')}`);
}

/** Comments, documents, log messages and English UI texts use plain words. */
function vocabulary() {
  const found = findWords();
  if (found.length === 0) return '';
  throw new Error(`${found.map(lineOf).join('\n')}\n\n${countsOf(found)}`);
}

/** Nothing is uncommitted, and no check wrote a file that would have to be committed. */
function cleanTree() {
  const changed = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' });
  if (!changed) return '';
  if (allowDirty) return `not committed:\n${changed}`;
  throw new Error(`not committed:\n${changed}`);
}

/** Resolves when the program succeeds, rejects with its output when it fails. */
function run(program, ...args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve('') : reject(new Error(said))));
  });
}
