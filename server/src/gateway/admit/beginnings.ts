import { createHash, type Hash } from 'node:crypto';
import {
  turnsOf,
  type KnownField,
  type KnownTurns,
  type ParsedTurns,
  type Turns,
} from '../../dialects/wire/forms/known-turns.js';
import { factsOf, haveFactsAlone, partLength, partsOf, type TurnParts } from '../../shared/turns.js';

/** The turns at the beginning of a body that is not kept itself. */
export interface Beginning {
  /** SHA-256 of all bytes before the comma behind the turns. */
  readonly digest: string;
  /** The last bytes before the comma, which nearly all other bodies do not have there. */
  readonly ending: string;
  readonly turns: Turns;
  readonly parts: TurnParts;
  /** How the conversation uses its turns since there is a digest of them alone. */
  readonly use: { areTurnsRead: boolean };
}

export interface KnownBeginning extends KnownTurns {
  readonly beginning: Beginning;
  /** The state of the digest at the end of the turns. */
  readonly hash: Hash;
}

/** Estimates the bytes of memory that a beginning takes: three positions of each turn, and a share of the facts of a part. */
export const memoryOfBeginning = ({ turns }: Beginning): number => 1024 + 96 * turns.commas.length;

/** Bytes, and lists, objects and their entries: turns that are read after all are parsed in one turn of the event loop. */
const maxBytes = 1024 * 1024;
const maxValues = 20_000;
const endingLength = 32;
/** Turns at the end that the next body may change: Claude Code marks the last block, and then the one after it. */
const changingTurns = 4;
const maxTurns = 4096;
const comma = 0x2c;

const endOf = ({ turns }: Pick<Beginning, 'turns'>): number => turns.commas.at(-1) ?? 0;

/** Returns the beginning of a body. Null if it is short or long, or if its calls need more of the turns than facts. */
export function beginningOf({ bytes, turns, parsed }: ParsedTurns, known?: KnownBeginning): Beginning | null {
  const count = partLength * Math.floor((parsed.length - changingTurns) / partLength);
  const end = turns.commas[count - 1];
  const parts = partsOf(parsed);
  const values = turns.values[count - 1] ?? 0;
  if (end === undefined || end > maxBytes || values > maxValues || count > maxTurns || !haveFactsAlone(parts))
    return null;
  // A body that has fewer turns than its known beginning and some that may change has the same beginning.
  if (known && end <= endOf(known)) return known.beginning;
  const hash = (known?.hash ?? createHash('sha256')).update(bytes.subarray(known ? endOf(known) : 0, end));
  return {
    digest: hash.digest('base64'),
    ending: endingIn(bytes, end),
    turns: turnsOf({ turns, count }),
    parts: factsOf(parts, count),
    use: known?.beginning.use ?? { areTurnsRead: false },
  };
}

const endingIn = (bytes: Buffer, end: number): string => bytes.toString('latin1', Math.max(0, end - endingLength), end);

/**
 * Finds the longest beginning of a body.
 * @param beginnings by their digest
 * @param fields that the body may have behind its turns
 */
export function findBeginning(
  beginnings: ReadonlyMap<string, Beginning>,
  fields: readonly KnownField[],
  bytes: Buffer,
): KnownBeginning | null {
  const possible = [...beginnings.values()].filter((each) => {
    const end = endOf(each);
    return bytes[end] === comma && each.ending === endingIn(bytes, end);
  });
  const ends = new Set(possible.map(endOf).sort((one, other) => one - other));
  const hash = createHash('sha256');
  let from = 0;
  let longest: KnownBeginning | null = null;
  for (const end of ends) {
    hash.update(bytes.subarray(from, end));
    from = end;
    const beginning = beginnings.get(hash.copy().digest('base64'));
    if (!beginning) continue;
    const { turns, parts, use } = beginning;
    const count = turns.commas.length;
    const onRead = (): void => {
      use.areTurnsRead = true;
    };
    longest = { count, turns, parts: factsOf(parts, count), fields, beginning, hash: hash.copy(), onRead };
  }
  return longest;
}
