/** The form in which user names are compared: without case, and however Unicode composes their characters. */
export const foldedName = (name: string): string => name.normalize('NFKC').toLowerCase();
