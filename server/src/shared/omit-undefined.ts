/** Copy without the fields that are undefined; spread over defaults, they would overwrite them. */
export const omitUndefined = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
