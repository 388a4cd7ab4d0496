import type { BodyOperation, BodyOverride } from '../../shared/channel-override.js';
import { asFields, type Fields } from '../neutral/fields.js';
import { choices, configs, containers, limits, maxChoices, otherPriced, pricedNames } from '../priced-fields.js';

/*
 * The fields of `priced-fields.ts` in a body in the form that a provider gets, in any dialect, after the override of a
 * channel. The operator has set them, so none is refused.
 */

/** The objects inside a body in which providers have numbers of responses and limits. */
const holders = [...containers, ...configs, 'inferenceConfig'];

/** Returns the largest number with one of these names. The numbers may be unchecked. */
function largestOf(body: Fields, names: ReadonlySet<string>): number {
  let largest = 0;
  for (const holder of [body, ...holders.map((name) => asFields(body[name]))]) {
    for (const name in holder) {
      const value = holder[name];
      if (names.has(name) && typeof value === 'number' && value > largest) largest = Math.floor(value);
    }
  }
  return largest;
}

/** Returns the largest output limit of a body in the dialect of any provider, in tokens; 0 if it has no limit. */
export const longestLimit = (body: Fields): number => largestOf(body, limits);

/** Returns the number of responses to one prompt, in a body in the dialect of any provider. */
export const mostChoices = (body: Fields): number => Math.min(Math.max(1, largestOf(body, choices)), maxChoices);

/**
 * Returns a body in the dialect of any provider whose limits are at most `tokens`, or the same body if none is larger.
 */
export function withinLimit(body: Record<string, unknown>, tokens: number): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  for (const name in body) {
    const value = body[name];
    if (limits.has(name) && typeof value === 'number' && value > tokens) changes[name] = tokens;
    const inner = holders.includes(name) ? asFields(value) : null;
    const within = inner && withinLimit(inner, tokens);
    if (within !== inner) changes[name] = within;
  }
  return Object.keys(changes).length === 0 ? body : { ...body, ...changes };
}

const allPriced: ReadonlySet<string> = new Set([...pricedNames, ...holders, ...otherPriced]);

/** Whether an override changes a field that prices a call. */
export const changesPrice = ({ fields, operations }: BodyOverride): boolean =>
  Object.keys(fields).some((name) => allPriced.has(name)) ||
  operations.some((operation) => pathIn(operation).some((name) => allPriced.has(name)));

const pathIn = (operation: BodyOperation): readonly string[] =>
  'path' in operation ? operation.path : [...operation.from, ...operation.to];
