import { asFields, type Fields } from '../../neutral/fields.js';

/**
 * A field that holds an id: names separated by dots, `[]` after a list, `*` for every field of an object. A second entry
 * limits it to objects with some property, such as a type.
 */
export type IdPath = readonly [path: string, only?: (holder: Fields) => boolean];

/** An id in a body. */
export interface FoundId {
  /** The path of the field, such as `input[2].id`. */
  readonly field: string;
  readonly id: unknown;
}

interface Place {
  /** Conditions under which the value is an id. Without conditions it is not an id. */
  readonly ids: Array<(holder: Fields) => boolean>;
  readonly next: Map<string, Place>;
}

const always = (): boolean => true;
const newPlace = (): Place => ({ ids: [], next: new Map() });

/** Paths as one tree, so that a body is read once, and only at fields that may contain ids. */
export class IdFields {
  private readonly root = newPlace();

  constructor(paths: readonly IdPath[]) {
    for (const [path, only = always] of paths) {
      let place = this.root;
      for (const name of path.replaceAll('[]', '.[]').split('.')) {
        const known = place.next.get(name) ?? newPlace();
        place.next.set(name, known);
        place = known;
      }
      place.ids.push(only);
    }
  }

  /** Returns the values. Absent values and null are left out; all others are returned, even if they are not text. */
  in(body: Fields): readonly FoundId[] {
    const found: Found[] = [];
    readFields(body, this.root, found);
    return found.map(({ path, id }) => ({ field: path.reverse().join('').replace(/^\./, ''), id }));
  }
}

/** The path is built from the inner name outwards when an id is found, because most bodies have none. */
interface Found {
  readonly path: string[];
  readonly id: unknown;
}

function readFields(holder: Fields, place: Place, found: Found[]): void {
  for (const [name, next] of place.next) {
    if (name === '[]') continue;
    for (const each of name === '*' ? Object.keys(holder) : [name]) {
      const before = found.length;
      read(holder[each], holder, next, found);
      for (let at = before; at < found.length; at++) found[at]?.path.push(`.${each}`);
    }
  }
}

function read(value: unknown, holder: Fields, place: Place, found: Found[]): void {
  if (value === undefined || value === null) return;
  const entries = place.next.get('[]');
  if (Array.isArray(value) && entries) return readEntries(value as unknown[], holder, entries, found);
  const fields = Array.isArray(value) ? null : asFields(value);
  // An id that may be an object contains the id as a field.
  if (fields && place.next.size > 0) return readFields(fields, place, found);
  const isId = place.ids.some((only) => only(holder)) || entries?.ids.some((only) => only(holder));
  if (isId) found.push({ path: [], id: value });
}

function readEntries(list: readonly unknown[], holder: Fields, place: Place, found: Found[]): void {
  for (const [index, entry] of list.entries()) {
    const before = found.length;
    read(entry, holder, place, found);
    for (let at = before; at < found.length; at++) found[at]?.path.push(`[${index}]`);
  }
}
