/** Returns a copy without the fields that are undefined, because a spread would overwrite defaults with them. */
export const omitUndefined = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
