/**
 * Returns the entry of a model in a table of names and patterns: the exact name, else the longest prefix that ends with
 * `*`.
 */
export function entryOfModel<Value>(table: Readonly<Record<string, Value>>, model: string): Value | undefined {
  let found = table[model];
  if (found !== undefined) return found;
  let length = -1;
  for (const [pattern, value] of Object.entries(table)) {
    if (!pattern.endsWith('*') || pattern.length <= length || !model.startsWith(pattern.slice(0, -1))) continue;
    length = pattern.length;
    found = value;
  }
  return found;
}

/** Returns the name of a model without the prefix that its channel adds. */
export const withoutPrefix = (model: string, prefix: string): string =>
  prefix !== '' && model.startsWith(prefix) ? model.slice(prefix.length) : model;
