import { asFields, type Fields } from '../../../shared/json.js';
import { mapChanged } from '../../../shared/map-changed.js';

/**
 * Changes the objects of a list.
 * @returns the same value if nothing changes, or if it is not a list
 */
export function changedList(value: unknown, change: (each: Fields) => Fields): unknown {
  if (!Array.isArray(value)) return value;
  return mapChanged<unknown>(value, (each) => {
    const fields = asFields(each);
    return fields ? change(fields) : each;
  });
}
