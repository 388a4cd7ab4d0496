import type { ScanListener } from '../../../shared/json.js';
import type { Fields } from '../../neutral/fields.js';

/** The list of turns in a body. */
export interface Turns {
  readonly name: string;
  /** Position of the bracket. */
  readonly open: number;
  /** Positions of the commas between the turns. */
  readonly commas: number[];
  /** Values and members of the text up to each comma. */
  readonly values: number[];
  readonly members: number[];
  /** Position behind the closing bracket, and the values up to there. */
  end?: { readonly at: number; readonly values: number };
}

/** A parsed body. Its turns and its fields are shared by all calls that continue it, and never change. */
export interface ParsedTurns {
  readonly bytes: Buffer;
  /** Number of array elements and object members in total, each of which takes memory. */
  readonly values: number;
  readonly turns: Turns;
  /** The fields before the turns, with an empty list of turns. */
  readonly head: Fields;
  readonly parsed: readonly unknown[];
  /** The text behind the turns: its position, its fields, and the number of values in it. Absent: it was not parsed alone. */
  readonly tail?: { readonly at: number; readonly fields: Fields; readonly values: number };
}

/** An earlier body, and how many of its turns begin the new body. Everything before them is the same, too. */
export interface KnownTurns {
  readonly before: ParsedTurns;
  readonly count: number;
}

/** Keeps parsed bodies of one caller. */
export interface TurnMemory {
  /** Returns the body with the longest common beginning. Null if no turn is known. */
  find(bytes: Buffer): KnownTurns | null;
  /** @param known the earlier body that this body continues */
  keep(body: ParsedTurns, known: KnownTurns | null): void;
}

/** The names of the list of turns in the dialects. */
export const turnNames = ['messages', 'input', 'contents'] as const;

/**
 * Matches the end of the text before the list of turns. In valid JSON, a quote after a brace, a comma or a blank begins
 * a text if a letter follows.
 */
const beforeTurns = new RegExp(`[{,\\s]"(${turnNames.join('|')})"\\s*:\\s*$`);
const nameLength = 64;
const openBracket = 0x5b;

/** Notes the positions of the turns while a body is scanned. */
export class TurnMarks implements ScanListener {
  private isWithin: boolean;

  /** @param turns the turns that are already known */
  constructor(
    private readonly bytes: Buffer,
    public turns: Turns | null = null,
  ) {
    this.isWithin = turns !== null;
  }

  field(open: number): void {
    this.isWithin = false;
    if (this.turns || this.bytes[open] !== openBracket) return;
    const name = beforeTurns.exec(this.bytes.toString('latin1', Math.max(0, open - nameLength), open))?.[1];
    if (name === undefined) return;
    this.turns = { name, open, commas: [], values: [], members: [] };
    this.isWithin = true;
  }

  comma(at: number, values: number, members: number): void {
    if (!this.isWithin || !this.turns) return;
    this.turns.commas.push(at);
    this.turns.values.push(values);
    this.turns.members.push(members);
  }

  close(at: number, values: number): void {
    if (this.isWithin && this.turns) this.turns.end = { at: at + 1, values };
    this.isWithin = false;
  }
}

/** Returns the known turns alone, to which a scan of the rest adds its own. */
export const turnsOf = ({ before: { turns }, count }: KnownTurns): Turns => ({
  name: turns.name,
  open: turns.open,
  commas: turns.commas.slice(0, count),
  values: turns.values.slice(0, count),
  members: turns.members.slice(0, count),
});
