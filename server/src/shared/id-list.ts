import { InvalidInputError } from './errors.js';

/**
 * Maximum number of rows one call may name: a statement holds at most 65,535 parameters, and the caller waits for the
 * response.
 */
export const maxIds = 10_000;

/**
 * @param whenEmpty error message for an empty list
 * @throws InvalidInputError for an empty list, a list longer than `maxIds`, or ids that are not positive integers
 */
export function assertIdList(ids: readonly number[], whenEmpty: string): void {
  if (ids.length === 0) throw new InvalidInputError(whenEmpty, 'ids');
  if (ids.length > maxIds) throw new InvalidInputError(`At most ${maxIds} ids at a time`, 'ids');
}
