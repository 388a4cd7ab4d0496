/**
 * Turns of a conversation that follow each other, with what functions computed of them. The bodies that continue the
 * conversation share the part.
 */
interface Part {
  readonly turns: readonly unknown[];
  /** The index of the first turn. */
  readonly from: number;
  /** The values by the number of the function. */
  readonly values: unknown[];
}

/** Turns of a part. Those after the last whole part are parts of one turn, so that a new turn leaves them as they are. */
const partLength = 16;

/**
 * Holds the parts of a list in the list itself. V8 marks what only a WeakMap holds in the pause that ends a collection: 50 of
 * 70 ms for 80 conversations of 800 KB.
 */
const held = Symbol('parts');
const partsIn = (turns: readonly unknown[]): readonly Part[] | undefined =>
  (turns as { readonly [held]?: readonly Part[] })[held];

/**
 * Marks a list of turns or tools of a body that is kept. It never changes.
 * @param known an earlier list, and how many of its turns the list begins with
 */
export function shareTurns(
  turns: readonly unknown[],
  known: { readonly turns: readonly unknown[]; readonly count: number } | null = null,
): void {
  if (areShared(turns)) return;
  const earlier = known ? (partsIn(known.turns) ?? []) : [];
  const parts: Part[] = [];
  let from = 0;
  while (from < turns.length) {
    const length = turns.length - from < partLength ? 1 : partLength;
    const same = earlier[parts.length];
    const isSame = same?.from === from && same.turns.length === length;
    parts.push(
      isSame && from + length <= (known?.count ?? 0)
        ? same
        : { turns: turns.slice(from, from + length), from, values: [] },
    );
    from += length;
  }
  Object.defineProperty(turns, held, { value: parts });
}

export const areShared = (turns: readonly unknown[]): boolean => partsIn(turns) !== undefined;

let functions = 0;

/**
 * Returns a function that computes a value for each part of a conversation: its whole list of turns, or, if bodies share
 * the turns, stretches of it. Parts that the list has from an earlier body have their values from there.
 * @param valueOf must depend on nothing but the turns and the index of the first one
 */
export function ofEachPart<Value>(
  valueOf: (turns: readonly unknown[], from: number) => Value,
): (turns: readonly unknown[]) => readonly Value[] {
  const number = functions++;
  return (list) => {
    const parts = partsIn(list);
    if (!parts) return [valueOf(list, 0)];
    return parts.map(({ turns, from, values }) => {
      if (values[number] === undefined) values[number] = valueOf(turns, from);
      return values[number] as Value;
    });
  };
}
