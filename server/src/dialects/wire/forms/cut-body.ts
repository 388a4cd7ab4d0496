import { randomUUID } from 'node:crypto';
import type { KnownJson } from '../../../shared/json.js';
import { TurnMarks } from './known-turns.js';

const colon = 0x3a;
/** Space, tab, line feed and carriage return. */
const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Strings that are longer are cut out before the rest is parsed. Bytes. */
const longString = 64 * 1024;

/**
 * Bytes of turns that are parsed at once, without their long strings. V8 puts a text of more than 128 KB into memory of its
 * own, which the system has to clear each time.
 */
export const groupBytes = 64 * 1024;

/** The mark is random for each process, so that no client can send it. */
const mark = `long-string-${randomUUID()}-`;

/** Returns the number of the long string that a text stands for. */
export const numberOfCut = (text: string): number | undefined =>
  text.startsWith(mark) ? Number(text.slice(mark.length)) : undefined;

/** Notes the long strings of a body while it is scanned, its turns, and the groups in which they are parsed. */
export class CutBody extends TurnMarks {
  /** Positions of the quotes of the long strings. */
  readonly long: Array<readonly [open: number, close: number]> = [];
  /** Positions of the commas that end a group, and of the bracket that ends the last one. */
  readonly groupEnds: number[] = [];
  /** Bytes of long strings so far. */
  private cut = 0;
  /** Where the group begins and its last turn ends. A place is a position in the text without long strings. */
  private begin = 0;
  private last = { at: 0, place: 0 };

  constructor(private readonly body: Buffer) {
    super(body);
  }

  string(open: number, close: number): void {
    if (close - open <= longString || this.isName(close)) return;
    this.long.push([open, close]);
    this.cut += close - open;
  }

  override field(open: number, values: number, members: number): KnownJson | undefined {
    const known = super.field(open, values, members);
    if (this.turns?.open === open) this.begin = open - this.cut;
    return known;
  }

  override comma(at: number, values: number, members: number): void {
    super.comma(at, values, members);
    if (this.turns?.commas.at(-1) === at) this.addTurn(at);
  }

  override close(at: number, values: number, members: number): void {
    super.close(at, values, members);
    if (this.turns?.close !== at) return;
    this.addTurn(at);
    this.groupEnds.push(at);
  }

  /** Returns the text between two positions outside of strings, with marks in place of long strings. */
  text(from: number, until: number): string {
    let text = '';
    let at = from;
    for (const [index, [open, close]] of this.long.entries()) {
      if (open < from || open >= until) continue;
      text += `${this.body.toString('utf8', at, open)}"${mark}${index}"`;
      at = close + 1;
    }
    return text + this.body.toString('utf8', at, until);
  }

  private isName(close: number): boolean {
    let at = close + 1;
    while (blanks.has(this.body[at] ?? 0)) at++;
    return this.body[at] === colon;
  }

  /** Ends the group before a turn that would make it too large. */
  private addTurn(at: number): void {
    const place = at - this.cut;
    if (place - this.begin > groupBytes && this.last.place > this.begin) {
      this.groupEnds.push(this.last.at);
      this.begin = this.last.place;
    }
    this.last = { at, place };
  }
}
