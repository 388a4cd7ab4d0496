import type { KnownJson, ScanListener } from '../../../shared/json.js';
import type { TurnParts } from '../../../shared/turns.js';
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
  /** Position of the closing bracket. */
  close?: number;
}

/** A large list or object that is a field of a body, behind its turns: the tools above all. */
interface LargeField extends KnownJson {
  readonly name: string;
  /** Position of the opening bracket. */
  readonly open: number;
}

/** A large field of an earlier body. Its value is shared by the bodies that have the same bytes, and never changes. */
export interface KnownField extends KnownJson {
  readonly name: string;
  readonly bytes: Buffer;
  readonly value: unknown;
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
  readonly fields: readonly KnownField[];
}

/** The turns that a body has from an earlier one. Everything before them is the same, too. */
export interface KnownTurns {
  readonly count: number;
  /** The turns of the earlier body, of which it has so many, and their parts. */
  readonly turns: Turns;
  readonly parts: TurnParts;
  /** Fields that the body may have, too. */
  readonly fields: readonly KnownField[];
  /** The earlier body. Absent: there is only a digest of its beginning, and what is read of it is parsed again. */
  readonly before?: ParsedTurns;
  /** Called when turns are parsed again, besides the first ones, which identify a conversation. */
  readonly onRead?: () => void;
}

/** Keeps parsed bodies of one caller. */
export interface TurnMemory {
  /** Returns the body with the longest common beginning. Null if no turn is known. */
  find(bytes: Buffer): KnownTurns | null;
  /** @param known what `find` returned for the body */
  keep(body: ParsedTurns, known: KnownTurns | null): void;
}

/** The names of the list of turns in the dialects. */
export const turnNames = ['messages', 'input', 'contents'] as const;
const namesOfTurns: ReadonlySet<string> = new Set(turnNames);

/**
 * Matches the name before a list or an object. In valid JSON, a quote after a brace, a comma or a blank begins a text if a
 * letter follows.
 */
const nameBefore = /[{,\s]"([A-Za-z]\w*)"\s*:\s*$/;
const nameLength = 64;
const openBracket = 0x5b;
/** Bytes. Smaller fields are parsed each time. */
const minField = 1024;
/** Bytes of all large fields of a body that are noted. */
export const maxFieldBytes = 512 * 1024;
/** Lists and objects of a body whose names are read. Agents send some twenty. */
const maxFields = 64;

/** Notes the positions of the turns and of the large fields behind them while a body is scanned. */
export class TurnMarks implements ScanListener {
  turns: Turns | null;
  readonly fields: LargeField[] = [];
  /** The fields that an earlier body has, too. They are not scanned. */
  readonly known: Array<LargeField & { readonly value: unknown }> = [];
  private isWithin: boolean;
  private opened: LargeField | null = null;
  private named = 0;
  private bytesOfFields = 0;

  /** @param continues the earlier body that this one continues */
  constructor(
    private readonly bytes: Buffer,
    private readonly continues: KnownTurns | null = null,
  ) {
    this.turns = continues && turnsOf(continues);
    this.isWithin = this.turns !== null;
  }

  field(open: number, values: number, members: number): KnownJson | undefined {
    this.isWithin = false;
    this.opened = null;
    const name = this.nameAt(open);
    if (name === undefined) return undefined;
    if (!this.turns) {
      if (this.bytes[open] !== openBracket || !namesOfTurns.has(name)) return undefined;
      this.turns = { name, open, commas: [], values: [], members: [] };
      this.isWithin = true;
      return undefined;
    }
    const known = this.knownAt(open, name);
    if (known) {
      const field = { ...known, open };
      this.known.push(field);
      this.note(field);
    } else this.opened = { name, open, length: 0, values, members };
    return known;
  }

  comma(at: number, values: number, members: number): void {
    if (!this.isWithin || !this.turns) return;
    this.turns.commas.push(at);
    this.turns.values.push(values);
    this.turns.members.push(members);
  }

  close(at: number, values: number, members: number): void {
    const { opened } = this;
    if (opened) {
      const { name, open } = opened;
      const length = at + 1 - open;
      this.note({ name, open, length, values: values - opened.values, members: members - opened.members });
    }
    if (this.isWithin && this.turns) this.turns.close = at;
    this.isWithin = false;
    this.opened = null;
  }

  private nameAt(open: number): string | undefined {
    if (++this.named > maxFields) return undefined;
    return nameBefore.exec(this.bytes.toString('latin1', Math.max(0, open - nameLength), open))?.[1];
  }

  /** Returns the known field that has the same name and the same bytes. */
  private knownAt(open: number, name: string): KnownField | undefined {
    return this.continues?.fields.find(
      (field) => field.name === name && field.bytes.equals(this.bytes.subarray(open, open + field.length)),
    );
  }

  private note({ name, open, length, values, members }: LargeField): void {
    if (length < minField || this.bytesOfFields + length > maxFieldBytes) return;
    this.bytesOfFields += length;
    this.fields.push({ name, open, length, values, members });
  }
}

/** Returns the known turns alone, to which a scan of the rest adds its own. */
export const turnsOf = ({ turns, count }: Pick<KnownTurns, 'turns' | 'count'>): Turns => ({
  name: turns.name,
  open: turns.open,
  commas: turns.commas.slice(0, count),
  values: turns.values.slice(0, count),
  members: turns.members.slice(0, count),
});
