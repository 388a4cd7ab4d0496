import { isAppError } from '../../shared/errors.js';

/** An input in the form of GraphQL clients: null means "not given", like absence. */
export type Nullable<Fields> = { readonly [Key in keyof Fields]?: Fields[Key] | null };

/** Returns a copy without the fields that are null or undefined. */
export const omitNullish = <Fields>(input: Nullable<Fields>): Partial<Fields> =>
  Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== null && value !== undefined),
  ) as Partial<Fields>;

/** Resolves a lookup of one row: null when it does not exist. Mutations keep NOT_FOUND. */
export async function nullWhenNotFound<Row>(row: Promise<Row>): Promise<Row | null> {
  try {
    return await row;
  } catch (error) {
    if (isAppError(error) && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}
