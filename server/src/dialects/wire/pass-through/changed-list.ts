import { asFields, type Fields } from '../../../shared/json.js';

/**
 * Changes the objects of a list.
 * @returns the same value if nothing changes, or if it is not a list
 */
export function changedList(value: unknown, change: (each: Fields) => Fields): unknown {
  if (!Array.isArray(value)) return value;
  const given = value as unknown[];
  const changed = given.map((each) => {
    const fields = asFields(each);
    return fields ? change(fields) : each;
  });
  return changed.some((each, index) => each !== given[index]) ? changed : value;
}
