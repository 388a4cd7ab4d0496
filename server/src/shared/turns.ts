/**
 * Turns of a conversation that follow each other, with what functions computed of them. The bodies that continue the
 * conversation share the part.
 */
interface Part {
  /** The index of the first turn. */
  readonly from: number;
  /** The number of turns. */
  readonly length: number;
  /** The values by the number of the function. Facts take little memory and refer to no turn. */
  readonly facts: unknown[];
  readonly others: unknown[];
}

/** The parts of a list of turns. */
export type TurnParts = readonly Part[];

/** Turns of a whole part. Those after the last whole part are parts of one turn, so that a new turn leaves them as they are. */
export const partLength = 16;

/**
 * Holds the parts of a list in the list itself. V8 marks what only a WeakMap holds in the pause that ends a collection: 50 of
 * 70 ms for 80 conversations of 800 KB.
 */
const held = Symbol('parts');
const partsIn = (turns: readonly unknown[]): TurnParts | undefined => (turns as { readonly [held]?: TurnParts })[held];

/** The parts of a list that is marked by `shareTurns`. */
export const partsOf = (turns: readonly unknown[]): TurnParts => partsIn(turns) ?? [];

/**
 * Returns the facts of the whole parts at the beginning of a list, for a list that has the same turns there.
 * @param count the number of these turns
 */
export const factsOf = (parts: TurnParts, count: number): TurnParts =>
  parts.filter(({ from, length }) => from + length <= count).map((part) => ({ ...part, others: [] }));

/** Whether nothing is known of turns but facts. */
export const haveFactsAlone = (parts: TurnParts): boolean => parts.every(({ others }) => others.length === 0);

/**
 * Marks a list of turns or tools of a body that is kept. It never changes.
 * @param known the parts of an earlier list, and how many of its turns the list begins with
 */
export function shareTurns(
  turns: readonly unknown[],
  known: { readonly parts: TurnParts; readonly count: number } | null = null,
): void {
  if (areShared(turns)) return;
  const parts: Part[] = [];
  let from = 0;
  while (from < turns.length) {
    const length = turns.length - from < partLength ? 1 : partLength;
    const same = known?.parts[parts.length];
    const isSame = same?.from === from && same.length === length && from + length <= (known?.count ?? 0);
    parts.push(isSame ? same : { from, length, facts: new Array<unknown>(functions), others: [] });
    from += length;
  }
  Object.defineProperty(turns, held, { value: parts });
}

export const areShared = (turns: readonly unknown[]): boolean => partsIn(turns) !== undefined;

let functions = 0;
/** One list for all that are empty: half of the values of most parts are. */
const none: readonly never[] = Object.freeze([]);

/**
 * Returns a function that computes a value for each part of a conversation: its whole list of turns, or, if bodies share
 * the turns, stretches of it. Parts that the list has from an earlier body have their values from there.
 * @param valueOf must depend on nothing but the turns and the index of the first one
 * @param isFact whether a value takes little memory and refers to no turn. It is kept for longer than the turns then
 */
export function ofEachPart<Value>(
  valueOf: (turns: readonly unknown[], from: number) => Value,
  isFact: (value: Value) => boolean = () => false,
): (turns: readonly unknown[]) => readonly Value[] {
  const number = functions++;
  return (list) => {
    const parts = partsIn(list);
    if (!parts) return [valueOf(list, 0)];
    return parts.map(({ from, length, facts, others }) => {
      // Null is a value, too.
      const known = facts[number] === undefined ? others[number] : facts[number];
      if (known !== undefined) return known as Value;
      const computed = valueOf(list.slice(from, from + length), from);
      const value = Array.isArray(computed) && computed.length === 0 ? (none as Value) : computed;
      (isFact(value) ? facts : others)[number] = value;
      return value;
    });
  };
}

/** Returns a function that tells whether a test holds for a turn of a conversation. Each turn is tested once. */
export function someTurn(test: (turn: unknown) => boolean): (turns: readonly unknown[]) => boolean {
  const holds = ofEachPart((turns) => turns.some(test), always);
  return (turns) => holds(turns).includes(true);
}

/** Returns a function that checks the turns of a conversation, each one once. */
export function checkEachTurn(check: (turn: unknown, index: number) => void): (turns: readonly unknown[]) => void {
  const areChecked = ofEachPart((turns, from) => {
    for (const [index, turn] of turns.entries()) check(turn, from + index);
    return true;
  }, always);
  return (turns) => void areChecked(turns);
}

/**
 * Returns a function that replaces the turns of a conversation, those of each part once.
 * @param replace returns the turn alone where it stays the same
 * @returns null if all turns stay the same
 */
export function replaceInParts(
  replace: (turn: unknown) => readonly unknown[],
): (turns: readonly unknown[]) => unknown[] | null {
  const replaced = ofEachPart(
    (turns, from) => {
      const turnsAfter = turns.flatMap(replace);
      const isSame = turnsAfter.length === turns.length && turnsAfter.every((turn, at) => turn === turns[at]);
      return { from, until: from + turns.length, turnsAfter: isSame ? null : turnsAfter };
    },
    ({ turnsAfter }) => turnsAfter === null,
  );
  return (list) => {
    const parts = replaced(list);
    if (parts.every(({ turnsAfter }) => turnsAfter === null)) return null;
    return parts.flatMap(({ from, until, turnsAfter }) => turnsAfter ?? list.slice(from, until));
  };
}

export const always = (): boolean => true;
export const isEmpty = (value: readonly unknown[]): boolean => value.length === 0;
