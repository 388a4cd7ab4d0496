/** Without the fields nobody gave, which would overwrite defaults when spread over them. */
export const defined = <T extends object>(given: T): T =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T;
