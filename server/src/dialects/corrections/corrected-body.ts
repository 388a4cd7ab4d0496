import { efforts, type Effort } from '../neutral/request.js';
import { asFields, type Fields } from '../neutral/fields.js';
import type { Correction } from './correction.js';
import {
  withAnsweredResults,
  withCallIds,
  withoutBlanks,
  withoutLaterInstructions,
  withThoughts,
} from './corrected-turns.js';
import { withResults } from './with-results.js';
import { withoutThoughts } from './without-thoughts.js';

/**
 * Returns a copy of `value` with a change at the path, or the same value if nothing is at the path. A change to
 * undefined removes the field.
 * @param isElement whether `value` is an element of a list
 */
export function changedAt(
  value: unknown,
  path: readonly string[],
  change: (found: unknown) => unknown,
  isElement = false,
): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return change(value);
  if (Array.isArray(value)) {
    const list = value as unknown[];
    const changed = list.map((each) => changedAt(each, name === '*' ? rest : path, change, true));
    return changed.some((each, index) => each !== list[index]) ? changed : value;
  }
  const fields = asFields(value);
  if (!fields) return value;
  if (name === '*') {
    // Google counts the entries of a map, each with its `value`: `properties[8].value`.
    const within = rest[0] === 'value' ? rest.slice(1) : rest;
    const changed = Object.entries(fields).map(([key, each]) => [key, changedAt(each, within, change)] as const);
    return changed.some(([key, each]) => each !== fields[key]) ? Object.fromEntries(changed) : value;
  }
  if (!Object.hasOwn(fields, name)) {
    // Pydantic names the kind of an element within its path: `tools.0.custom.strict`.
    return isElement && rest.length > 0 ? changedAt(value, rest, change) : value;
  }
  const next = changedAt(fields[name], rest, change);
  if (next === fields[name]) return value;
  const { [name]: _before, ...others } = fields;
  return next === undefined ? others : { ...fields, [name]: next };
}

function nearest(wanted: unknown, allowed: readonly string[]): unknown {
  const known = allowed.filter((each): each is Effort => (efforts as readonly string[]).includes(each));
  const at = efforts.indexOf(wanted as Effort);
  if (at < 0 || known.length === 0 || known.includes(wanted as Effort)) return wanted;
  const distance = (effort: Effort): number => Math.abs(efforts.indexOf(effort) - at);
  return known
    .toSorted((one, other) => efforts.indexOf(one) - efforts.indexOf(other))
    .reduce((best, each) => (distance(each) <= distance(best) ? each : best));
}

const withMessages = (body: Fields, messages: unknown): Fields =>
  messages === body['messages'] ? body : { ...body, messages };

/** Returns a body with one correction, or the same body if the correction changes nothing. */
export function correctedBody(body: Fields, correction: Correction): Fields {
  switch (correction.kind) {
    case 'omit':
      return changedAt(body, correction.path, () => undefined) as Fields;
    case 'replace':
      return changedAt(body, correction.path, (found) => (found === correction.from ? correction.to : found)) as Fields;
    case 'atMost':
      return changedAt(body, correction.path, (found) =>
        typeof found === 'number' && found > correction.limit ? correction.limit : found,
      ) as Fields;
    case 'effort':
      return changedAt(body, correction.path, (found) => nearest(found, correction.efforts)) as Fields;
    case 'rename': {
      const { [correction.from]: value, ...rest } = body;
      return value === undefined ? body : { ...rest, [correction.to]: rest[correction.to] ?? value };
    }
    case 'thoughts':
      return withoutThoughts(body);
    case 'blanks':
      return withoutBlanks(body);
    case 'thoughtsWanted':
      return withMessages(body, withThoughts(body['messages']));
    case 'results':
      return withResults(body);
    case 'callIds':
      return withMessages(body, withCallIds(body['messages']));
    case 'answeredResults':
      return withMessages(body, withAnsweredResults(body['messages']));
    case 'firstInstructions':
      return withMessages(body, withoutLaterInstructions(body['messages']));
    default:
      return body;
  }
}
