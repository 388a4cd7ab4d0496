import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChangeType, CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';
import { root } from './build.mjs';

const schemaFile = 'schema/schema.graphql';
/** Every breaking change is listed here for users of the API, by its path (`Channel.key`). */
export const announcements = 'docs/schema-changes.md';

/**
 * The breaking changes since the last release. Before the first release (a tag `v…`) there are none.
 * @returns {Promise<Array<{ path: string, message: string, announced: boolean }>>}
 */
export async function breakingChanges() {
  const now = readFileSync(join(root, schemaFile), 'utf8');
  const before = releasedSchema();
  if (before === null) return [];
  const announced = existsSync(join(root, announcements)) ? readFileSync(join(root, announcements), 'utf8') : '';
  const changes = await diff(buildSchema(before), buildSchema(now));
  return changes
    .filter(
      ({ criticality, type }) => criticality.level === CriticalityLevel.Breaking || type === ChangeType.EnumValueAdded,
    )
    .map(({ path, message }) => ({ path, message, announced: announced.includes(`\`${path}\``) }));
}

/** @returns {string | null} null before the first release, or when the history is not available */
function releasedSchema() {
  const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*')?.trim();
  return tag ? git('show', `${tag}:${schemaFile}`) : null;
}

function git(...args) {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return null; // No git, no commit yet, or a shallow clone.
  }
}
