import { isAppError } from '../../shared/errors.js';

/** An input as GraphQL clients send it: null means "not given" just as absence does. */
export type Nullable<Fields> = { readonly [Key in keyof Fields]?: Fields[Key] | null };

/** Copy without the fields that are null or undefined. */
export const omitNullish = <Fields>(input: Nullable<Fields>): Partial<Fields> =>
  Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== null && value !== undefined),
  ) as Partial<Fields>;

/** For lookups of one row: null when it does not exist. Mutations keep NOT_FOUND. */
export async function nullWhenNotFound<Row>(row: Promise<Row>): Promise<Row | null> {
  try {
    return await row;
  } catch (error) {
    if (isAppError(error) && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}
