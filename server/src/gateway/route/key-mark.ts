import { createHash } from 'node:crypto';

/** Tells one key of a channel among several, without revealing it. */
export const keyMarkOf = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 16);

const marks = new WeakMap<readonly string[], readonly string[]>();

/** The marks of all keys of a channel, in their order; computed once per list. */
export function keyMarksOf({ keys }: { readonly keys: readonly string[] }): readonly string[] {
  let found = marks.get(keys);
  if (!found) marks.set(keys, (found = keys.map(keyMarkOf)));
  return found;
}
