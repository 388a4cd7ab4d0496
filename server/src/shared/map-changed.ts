/** Returns the list with each entry changed, or the same list if no entry changes. */
export function mapChanged<Entry>(
  list: readonly Entry[],
  change: (entry: Entry, index: number) => Entry,
): readonly Entry[] {
  let changed: Entry[] | null = null;
  for (const [index, entry] of list.entries()) {
    const next = change(entry, index);
    if (next === entry) continue;
    changed ??= [...list];
    changed[index] = next;
  }
  return changed ?? list;
}
