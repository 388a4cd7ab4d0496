/**
 * Returns the form in which user names are compared: without case and invisible marks, and independent of how Unicode
 * composes their characters.
 */
export const foldedName = (name: string): string =>
  name
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKC')
    .toLowerCase();
