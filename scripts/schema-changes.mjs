import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';
import { root } from './build.mjs';

const schemaFile = 'schema/schema.graphql';
/** Where every breaking change is told to those who call the API, by its path (`Channel.key`). */
export const announcements = 'docs/schema-changes.md';

/**
 * The breaking changes of the newest edit of the schema: the working copy against the last commit or, when they are the
 * same, that commit against the edit before it.
 * @returns {Promise<Array<{ path: string, message: string, announced: boolean }>>}
 */
export async function breakingChanges() {
  const now = readFileSync(join(root, schemaFile), 'utf8');
  const before = earlierSchema(now);
  if (before === null) return [];
  const told = existsSync(join(root, announcements)) ? readFileSync(join(root, announcements), 'utf8') : '';
  const changes = await diff(buildSchema(before), buildSchema(now));
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ path, message }) => ({ path, message, announced: told.includes(`\`${path}\``) }));
}

/** @returns {string | null} null when there was no other schema before, or its history is not here */
function earlierSchema(now) {
  const commits = git('log', '-2', '--format=%H', '--', schemaFile)?.split('\n').filter(Boolean) ?? [];
  for (const commit of commits) {
    const text = git('show', `${commit}:${schemaFile}`);
    if (text !== null && text !== now) return text;
  }
  return null;
}

function git(...args) {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return null; // No git, no commit yet, or a shallow clone.
  }
}
