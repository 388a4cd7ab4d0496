/** Without the fields nobody gave, which would overwrite defaults when spread over them. */
export const omitUndefined = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
