/** Separates names in a text that people type or paste: also full-width signs and lines. */
export const nameSeparator = /[,，;；\r\n]/;

/** Splits a comma-separated list into trimmed entries, without empty entries and duplicates, in the given order. */
export const splitList = (text: string): string[] => entriesOf(text.split(','));

/** Splits a list of names in the same way, at any separator of names. */
export const splitNames = (text: string): string[] => entriesOf(text.split(nameSeparator));

/** Returns the values of a header that is a list, trimmed, also those that are empty or repeated. */
export const headerValues = (text: string): string[] => text.split(',').map((value) => value.trim());

const entriesOf = (parts: readonly string[]): string[] => [
  ...new Set(parts.map((part) => part.trim()).filter(Boolean)),
];
