import { InvalidInputError } from './errors.js';

/** So many rows one call may name: a statement holds 65,535 parameters, and somebody waits for the answer. */
export const maxIds = 10_000;

/** @param whenEmpty what is said of a list of none @throws InvalidInputError */
export function assertIdList(ids: readonly number[], whenEmpty: string): void {
  if (ids.length === 0) throw new InvalidInputError(whenEmpty, 'ids');
  if (ids.length > maxIds) throw new InvalidInputError(`At most ${maxIds} ids at a time`, 'ids');
}
