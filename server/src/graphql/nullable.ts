/** An input as GraphQL clients send it: null means "not given" just as absence does. */
export type Nullable<Fields> = { readonly [Key in keyof Fields]?: Fields[Key] | null };

/** What is really given. */
export const omitNullish = <Fields>(input: Nullable<Fields>): Partial<Fields> =>
  Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== null && value !== undefined),
  ) as Partial<Fields>;
