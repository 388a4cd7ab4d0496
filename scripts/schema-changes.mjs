import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ChangeType, CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';

const schemaFile = 'schema/schema.graphql';
/** Every breaking change is listed here for users of the API, by its path (`Channel.key`). */
const announcements = 'docs/schema-changes.md';

/**
 * The breaking changes of the schema since the last release and since the base commit (see `baseCommit`).
 * @param {string} root the folder of the checkout
 * @returns {Promise<Array<{ path: string, message: string, announced: boolean }>>}
 * @throws {Error} if there is nothing to compare with
 */
export async function breakingChanges(root) {
  const git = gitIn(root);
  const bases = [lastRelease(git), baseCommit(git)].filter((base) => base !== null);
  const now = buildSchema(readFileSync(join(root, schemaFile), 'utf8'));
  const announced = readFileSync(join(root, announcements), 'utf8');
  const found = new Map();
  for (const base of bases) {
    for (const { path, message } of await between(buildSchema(git('show', `${base}:${schemaFile}`)), now)) {
      found.set(message, { path, message, announced: announced.includes(`\`${path}\``) });
    }
  }
  return [...found.values()];
}

async function between(before, now) {
  const changes = await diff(before, now);
  // The values of a new enum are listed as added, but no client switches over them yet.
  const isKnown = (path = '') => before.getType(path.split('.')[0] ?? '') !== undefined;
  return changes.filter(
    ({ criticality, type, path }) =>
      criticality.level === CriticalityLevel.Breaking || (type === ChangeType.EnumValueAdded && isKnown(path)),
  );
}

/** @returns {string | null} the tag of the last release, null before the first one */
function lastRelease(git) {
  try {
    return git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*').trim();
  } catch {
    return null;
  }
}

/**
 * The commit that a change is compared with: `BASE_COMMIT`, else where this branch left the remote's main branch, else the
 * parent of the current commit. A shallow clone, which lacks it, fetches it.
 */
function baseCommit(git) {
  const [head, parent] = git('log', '-1', '--format=%H %P').trim().split(' ');
  const base = process.env.BASE_COMMIT ?? branchPoint(git, head) ?? parent ?? firstParentOfShallow(git);
  if (!base) throw new Error('This commit has no parent, so there is no schema to compare with. Set BASE_COMMIT.');
  try {
    git('cat-file', '-e', `${base}^{commit}`);
  } catch {
    git('fetch', '--quiet', '--depth=1', 'origin', base);
  }
  return base;
}

function branchPoint(git, head) {
  try {
    const point = git('merge-base', 'HEAD', 'origin/HEAD').trim();
    return point === head ? null : point;
  } catch {
    return null;
  }
}

/** The log of a shallow clone names no parents, its commits do. */
function firstParentOfShallow(git) {
  return /^parent (\w+)$/m.exec(git('cat-file', '-p', 'HEAD'))?.[1];
}

function gitIn(root) {
  return (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

// `npm run check -- breaking`: every breaking change of the schema is announced.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const changes = await breakingChanges('.');
  for (const { path, message, announced } of changes) {
    console.log(`${announced ? 'announced' : 'MISSING  '}  ${path}: ${message}`);
  }
  if (changes.some(({ announced }) => !announced)) {
    console.log(`Add every breaking change to ${announcements}, with its path in backquotes.`);
    process.exitCode = 1;
  }
}
