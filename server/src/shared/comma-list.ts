/** Splits a comma-separated list into trimmed entries, without empty entries and duplicates, in the given order. */
export function splitList(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim());
  return [...new Set(parts.filter(Boolean))];
}
