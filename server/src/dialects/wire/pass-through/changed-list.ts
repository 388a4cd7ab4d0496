import { asFields, type Fields } from '../../../shared/json.js';

/**
 * A list whose objects are changed.
 * @returns the same value when nothing changes, or when it is no list
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
