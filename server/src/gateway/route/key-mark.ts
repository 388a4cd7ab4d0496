import { createHash } from 'node:crypto';
import { keyEnding } from '../../dialects/providers/channel-keys.js';

/** Identifies one key of a channel, without revealing it. */
export const keyMarkOf = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 16);

const marks = new WeakMap<readonly string[], readonly string[]>();

/** Returns the marks of all keys of a channel, in their order. They are computed once per list. */
export function keyMarksOf({ keys }: { readonly keys: readonly string[] }): readonly string[] {
  let found = marks.get(keys);
  if (!found) marks.set(keys, (found = keys.map(keyMarkOf)));
  return found;
}

/** Returns the name of a key in the log: its last characters, or `#` and its position where those would reveal too much. */
export const keyNameOf = ({ keys }: { readonly keys: readonly string[] }, index: number): string =>
  keyEnding(keys[index] ?? '') || `#${index + 1}`;
