import { writeJson } from '../../../shared/exact-json.js';
import { asFields, asText, someNumber, type Fields } from '../../neutral/fields.js';

/** Maximum index of a tool call; a larger one means a broken stream. */
const maxTools = 1024;

interface OpenTool {
  readonly id: string;
  readonly key: number | string;
  /** The arguments so far end like an object. */
  closes: boolean;
  /** No text of the arguments has come yet. */
  isEmpty: boolean;
}

/** A piece of a call, with the call that it belongs to. */
export interface PlacedPiece {
  /** Our own index: calls are counted from 0 in the order in which they began. */
  readonly index: number;
  readonly isFirst: boolean;
  /** '' when the piece has none, as for `name` and `text`. */
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

/** The tool calls of one choice of a stream. Providers disagree on what tells their pieces apart. */
export class OpenCalls {
  private readonly calls: OpenTool[] = [];

  get count(): number {
    return this.calls.length;
  }

  /** Whether the arguments of a call have begun. */
  hasText(index: number): boolean {
    return this.calls[index]?.isEmpty === false;
  }

  /** Our own indexes of the functions whose arguments have not begun. */
  withoutText(): number[] {
    return this.calls.flatMap(({ isEmpty }, index) => (isEmpty ? [index] : []));
  }

  /** @returns null for an implausible index */
  place(piece: Fields): PlacedPiece | null {
    const tool = asFields(piece['function']) ?? asFields(piece['custom']) ?? {};
    const id = asText(piece['id']);
    const given = tool['arguments'] ?? tool['input'];
    const text = asFields(given) ? writeJson(given) : asText(given);
    const name = asText(tool['name']);
    let index = this.indexOf(piece, id);
    // Two objects in a row, of which the second is named, are two calls: some providers send index 0 and no id for each.
    if (id === '' && name !== '' && text.startsWith('{') && this.calls[index]?.closes) index = this.calls.length;
    if (index < 0 || index >= maxTools) return null;
    const isFirst = index === this.calls.length;
    const isCustom = piece['custom'] !== undefined;
    if (isFirst) this.calls.push({ id, key: someNumber(piece['index']) ?? id, closes: false, isEmpty: !isCustom });
    const open = this.calls[index];
    if (open && text !== '') {
      open.closes = !isCustom && text.endsWith('}');
      open.isEmpty = false;
    }
    return { index, isFirst, id, name, text };
  }

  /**
   * Finds a call by the provider's index, else by id; pieces with neither belong to the last call.
   * @returns -1 for an implausible index
   */
  private indexOf(piece: Fields, id: string): number {
    const next = this.calls.length < maxTools ? this.calls.length : -1;
    const key = someNumber(piece['index']) ?? id;
    if (key === '') return Math.max(this.calls.length - 1, 0);
    // Providers that send index 0 for every call distinguish them by id; pieces without one belong to the last.
    const found = this.calls.findLastIndex((call) => call.key === key);
    if (found < 0) return next;
    const known = this.calls[found];
    if (!known || id === '' || known.id === '' || known.id === id) return found;
    const byId = this.calls.findIndex((call) => call.id === id);
    return byId < 0 ? next : byId;
  }
}
