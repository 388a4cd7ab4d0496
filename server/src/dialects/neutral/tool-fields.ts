import { createHash } from 'node:crypto';
import { asFields, asList, parseFields, type Fields } from './fields.js';
import { oneObject } from './tool-schema.js';

/** Fields of a tool whose names change: new name → old name, or the reverse. */
export type FieldNames = ReadonlyMap<string, string>;

const maxName = 64;
const invalid = /[^\w.-]/g;
/** Matches texts and brackets of JSON. A text that is followed by a colon is the name of a field. */
const marks = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g;

/**
 * Renames parameters of a tool whose names the provider refuses. Only the root of the schema is changed.
 * @returns the parameters, and the client's names by the new ones; null if nothing has to change
 */
export function renameFields(
  given: Fields | undefined,
  taken: RegExp,
): { readonly parameters: Fields; readonly names: FieldNames } | null {
  if (!given) return null;
  const parameters = oneObject(given);
  const properties = asFields(parameters['properties']);
  const refused = Object.keys(properties ?? {}).filter((name) => !taken.test(name));
  if (!properties || refused.length === 0) return null;
  const used = new Set(Object.keys(properties));
  const changed = new Map<string, string>();
  for (const name of refused) {
    const safe = name.replace(invalid, '_');
    const unique = safe.length <= maxName && !used.has(safe) ? safe : withHash(safe, name);
    used.add(unique);
    changed.set(name, unique);
  }
  const rename = (name: string): string => changed.get(name) ?? name;
  return {
    parameters: {
      ...parameters,
      properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [rename(name), field])),
      ...(Array.isArray(parameters['required'])
        ? { required: asList(parameters['required']).map((name) => (typeof name === 'string' ? rename(name) : name)) }
        : {}),
    },
    names: inverted(changed),
  };
}

function withHash(safe: string, name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 12);
  return `${safe.slice(0, maxName - hash.length - 1)}_${hash}`;
}

export const inverted = (names: FieldNames): FieldNames =>
  new Map([...names].map(([name, other]): [string, string] => [other, name]));

/** Returns arguments with their fields renamed and otherwise unchanged. Truncated arguments stay unchanged. */
export function withFieldNames(text: string, names: FieldNames): string {
  if (!parseFields(text)) return text;
  let depth = 0;
  return text.replace(marks, (mark: string, quoted: string | undefined, colon: string | undefined) => {
    if (quoted === undefined) {
      depth += mark === '{' || mark === '[' ? 1 : -1;
      return mark;
    }
    if (depth !== 1 || colon === undefined) return mark;
    const name = names.get(JSON.parse(quoted) as string);
    return name === undefined ? mark : JSON.stringify(name) + colon;
  });
}
