import { InvalidInputError } from '../../shared/errors.js';
import type { Nullable } from './nullable.js';

/**
 * Returns the changes of a patch. Absent fields keep their value; null clears a field.
 * @param cleared the value that null means, for each field that can be cleared
 * @throws InvalidInputError for null in a field that cannot be cleared
 */
export function patchOf<Fields extends object>(
  input: Nullable<Fields>,
  cleared: Partial<Fields> = {},
): Partial<Fields> {
  const entries = Object.entries(input)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, unknown] => {
      if (value !== null) return [name, value];
      if (name in cleared) return [name, cleared[name as keyof Fields]];
      throw new InvalidInputError(`${name} cannot be cleared: leave it out to keep it`, name);
    });
  return Object.fromEntries(entries) as Partial<Fields>;
}
