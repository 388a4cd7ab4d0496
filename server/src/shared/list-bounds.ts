import { InvalidInputError } from './errors.js';

/** Maximum number of values of one list in a search. */
export const maxListValues = 200;
/** Maximum number of values with `*` in one list: each is compared with every row. */
export const maxPatterns = 20;
/** Maximum characters of one text in a search. Cursors are the longest. */
export const maxTextLength = 4096;
/** Maximum characters of one pattern. */
const maxPatternLength = 256;

/** Cost of one pattern. Any other value costs 1. */
const patternCost = 10;

const isPattern = (value: unknown): value is string => typeof value === 'string' && value.includes('*');

/**
 * Bounds what one search compares rows with: every list and text of an argument, however deep. The one place for all
 * filters of GraphQL and for the lists of REST.
 * @param name the argument, as the error names it: `filter.models`
 * @returns the cost of its lists: 1 per value, 10 per pattern
 * @throws InvalidInputError naming the list or text that is too long
 */
export function costOfSearch(value: unknown, name: string): number {
  if (typeof value === 'string') {
    if (value.length > maxTextLength) throw new InvalidInputError(`${name} is longer than ${maxTextLength}`, name);
    return 0;
  }
  if (Array.isArray(value)) return costOfList(value, name);
  if (typeof value !== 'object' || value === null || value instanceof Date) return 0;
  return Object.entries(value).reduce((cost, [field, inner]) => cost + costOfSearch(inner, `${name}.${field}`), 0);
}

function costOfList(values: readonly unknown[], name: string): number {
  if (values.length > maxListValues) {
    throw new InvalidInputError(`${name} has more than ${maxListValues} values`, name);
  }
  const patterns = values.filter(isPattern);
  if (patterns.length > maxPatterns) throw new InvalidInputError(`${name} has more than ${maxPatterns} patterns`, name);
  if (patterns.some((pattern) => pattern.length > maxPatternLength)) {
    throw new InvalidInputError(`${name} has a pattern of more than ${maxPatternLength} characters`, name);
  }
  const below = values.reduce<number>((cost, value) => cost + costOfSearch(value, name), 0);
  return below + values.length + patterns.length * (patternCost - 1);
}
