/**
 * `npm run check`: every static check of the code, two at a time. The last line is `N passed, N failed`.
 *
 * - `npm run check -- --dirty`, before a commit: names the checks that suffice for what is not committed, and runs them.
 * - `npm run check -- lint arrows`: runs the checks with these words in their names.
 */
import { execSync } from 'node:child_process';
import concurrently from 'concurrently';

/**
 * TypeScript 7 (the alias `ts7`) checks types several times faster than 6, but its package has no API, which typescript-eslint
 * and the code generator need. Both packages bring a `tsc`, so this one is called by its path.
 */
const typesOf = (project) => `node node_modules/ts7/bin/tsc -p ${project} --noEmit`;
const emitted = 'dist/emitted';
const written = ['schema', 'docs/reference/rest'];

/** The command of each check, and the files that it depends on. */
const checks = {
  schema: [
    `rm -rf ${emitted} && node scripts/with-build.mjs dist/server/compose/emit-schema.main.js ${emitted} && ${written.map((folder) => `git diff --no-index ${folder} ${emitted}/${folder}`).join(' && ')} || { echo 'Run "npm run schema", and commit what it writes.'; false; }`,
    /^(server|schema|docs\/reference\/rest)\//,
  ],
  breaking: ['node scripts/schema-changes.mjs', /^(server|schema)\/|schema-changes/],
  codegen: ['graphql-codegen --silent', /^(client|schema)\/|^codegen/],
  // In parts: the types of all parts together do not fit in the memory that Node takes by itself.
  'lint of the server': ['eslint server --max-warnings 0', /^server\/|^eslint/],
  'lint of the client': ['eslint client --max-warnings 0', /^(client|schema)\/|^eslint/],
  'lint of the rest': [
    'eslint . --ignore-pattern server --ignore-pattern client --max-warnings 0',
    /^(tests|scripts)\/|^[^/]*\.mjs$/,
  ],
  'types of the server': [typesOf('server'), /^server\//],
  'types of the tests': [typesOf('tests'), /^(server|tests)\//],
  'types of the client': [typesOf('client'), /^(server|client|schema)\//],
  // The format of a file depends on nothing else, so an old result is never wrong.
  format: [
    'prettier . --check --log-level warn --cache --cache-strategy content --cache-location .cache/prettier',
    /./,
  ],
  arrows: ['depcruise --config .dependency-cruiser.mjs server client tests scripts', /\.[cm]?[jt]sx?$/],
  unused: ['knip --no-progress --no-config-hints', /\.[cm]?[jt]sx?$|^knip/],
  references: ['node scripts/references.mjs', /./],
  vocabulary: ['node scripts/vocabulary.mjs', /./],
  tree: ['git status --short && test -z "$(git status --porcelain)"', /(?!)/],
};

/** A change of these may break any check. */
const shared = /^(package(-lock)?|tsconfig\.base)\.json$/;
/** One after another, before the others: the client's types need the generated code, which needs the schema. */
const first = ['schema', 'breaking', 'codegen'];
/** After all others, which might write something. */
const last = ['tree'];

const words = process.argv.slice(2);
const chosen = words.includes('--dirty') ? sufficient() : Object.keys(checks);
const named = words.filter((word) => !word.startsWith('--'));
const wanted = chosen.filter((name) => named.length === 0 || named.some((word) => name.includes(word)));

const results = [
  ...(await take(
    wanted.filter((name) => first.includes(name)),
    1,
  )),
  // Lint takes as long as all others together.
  ...(await take(
    wanted.filter((name) => !first.includes(name) && !last.includes(name)),
    2,
  )),
  ...(await take(
    wanted.filter((name) => last.includes(name)),
    1,
  )),
];
console.log('');
for (const { command, exitCode, timings } of results) {
  const seconds = timings.durationSeconds.toFixed(1).padStart(6);
  console.log(`${exitCode === 0 ? 'ok    ' : 'FAILED'} ${seconds} s  ${command.name}`);
}
const failed = results.filter(({ exitCode }) => exitCode !== 0).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 || results.length === 0 ? 1 : 0;

/** @returns the checks that depend on a file that is not committed */
function sufficient() {
  const list = (command) => execSync(command, { encoding: 'utf8' }).split('\n').filter(Boolean);
  const touched = [
    ...list('git diff HEAD --name-only --no-renames'),
    ...list('git ls-files --others --exclude-standard'),
  ];
  const names = Object.keys(checks).filter((name) =>
    touched.some((file) => (shared.test(file) && name !== 'tree') || checks[name][1].test(file)),
  );
  console.log(`For ${touched.length} touched files these suffice: ${names.join(', ')}`);
  return names;
}

/** @returns how each ended; the output of a check is printed when it ends */
async function take(names, maxProcesses) {
  if (names.length === 0) return [];
  const commands = names.map((name) => ({ name, command: checks[name][0] }));
  const { result } = concurrently(commands, { maxProcesses, group: true, prefix: 'name' });
  return result.catch((events) => events);
}
