import type { BodyOperation, BodyOverride, OverrideCondition } from '../../shared/channel-override.js';
import { asFields, type Fields } from '../../shared/json.js';
import type { Target } from '../target.js';
import { withinLimit } from './sent-fields.js';

type Overridden = Pick<Target, 'override' | 'upstreamModel' | 'requestedModel' | 'outputLimit'>;

/**
 * Returns the body with the channel's `param_override`, or the same object if the channel has none. An override cannot
 * raise the output limit beyond what the balance pays for.
 */
export function overriddenBody(body: Record<string, unknown>, target: Overridden): Record<string, unknown> {
  const { override, outputLimit } = target;
  if (!override) return body;
  const result = changedBody(body, override, target);
  return outputLimit === undefined ? result : withinLimit(result, outputLimit);
}

function changedBody(
  body: Record<string, unknown>,
  override: BodyOverride,
  target: Overridden,
): Record<string, unknown> {
  let result: unknown = { ...body, ...override.fields };
  for (const operation of override.operations) {
    if (isFor(operation, target) && holds(operation, result, target)) result = applied(operation, result);
  }
  return result as Record<string, unknown>;
}

/**
 * Adds the override to a body that is written as changes of the client's body.
 * @param changes fields to set; undefined removes one. The fields of the override are added
 */
export function addOverride(body: Fields, changes: Record<string, unknown>, target: Overridden): void {
  const { override } = target;
  if (!override) return;
  if (override.operations.length === 0 && target.outputLimit === undefined) {
    Object.assign(changes, override.fields);
    return;
  }
  const before = withoutUndefined({ ...body, ...changes });
  const after = overriddenBody(before, target);
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (after[name] !== before[name] || !Object.hasOwn(after, name)) changes[name] = after[name];
  }
}

/** Whether the channel itself sets a top-level field. */
export const setsField = ({ override }: Overridden, name: string): boolean =>
  override !== null && Object.hasOwn(override.fields, name);

/** Whether an operation applies to the call's model, by the provider's name or the client's. */
export const isFor = (
  { models }: { readonly models: readonly string[] },
  { upstreamModel, requestedModel }: Pick<Target, 'upstreamModel' | 'requestedModel'>,
): boolean =>
  models.length === 0 || models.some((pattern) => matches(pattern, upstreamModel) || matches(pattern, requestedModel));

function matches(pattern: string, model: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern === model;
  const [start, end] = [pattern.slice(0, star), pattern.slice(star + 1)];
  return model.length >= start.length + end.length && model.startsWith(start) && model.endsWith(end);
}

function holds({ conditions, any }: BodyOperation, body: unknown, target: Overridden): boolean {
  if (conditions.length === 0) return true;
  const test = (condition: OverrideCondition): boolean => isMet(condition, body, target);
  return any ? conditions.some(test) : conditions.every(test);
}

function isMet(condition: OverrideCondition, body: unknown, target: Overridden): boolean {
  const found = valueOf(condition.path, body, target);
  if (found === undefined) return condition.passMissing;
  return compare(condition, found) !== condition.invert;
}

/** Gemini's bodies name no model. */
function valueOf(path: readonly string[], body: unknown, { upstreamModel, requestedModel }: Overridden): unknown {
  const found = path.reduce<unknown>(child, body);
  if (found !== undefined || path.length !== 1) return found;
  if (path[0] === 'original_model') return requestedModel;
  return path[0] === 'model' || path[0] === 'upstream_model' ? upstreamModel : undefined;
}

function compare({ mode, value }: OverrideCondition, found: unknown): boolean {
  switch (mode) {
    case 'full':
      return JSON.stringify(found) === JSON.stringify(value);
    case 'contains':
      if (Array.isArray(found)) return found.includes(value);
      return typeof found === 'string' && typeof value === 'string' && found.includes(value);
    case 'prefix':
      return typeof found === 'string' && typeof value === 'string' && found.startsWith(value);
    case 'suffix':
      return typeof found === 'string' && typeof value === 'string' && found.endsWith(value);
    default:
      return typeof found === 'number' && typeof value === 'number' && orders[mode](found, value);
  }
}

const orders = {
  gt: (a: number, b: number): boolean => a > b,
  gte: (a: number, b: number): boolean => a >= b,
  lt: (a: number, b: number): boolean => a < b,
  lte: (a: number, b: number): boolean => a <= b,
};

/** Applies an operation. An operation that does not fit the value changes nothing. */
function applied(given: BodyOperation, body: unknown): unknown {
  // Copies, because values of turns are kept in their objects, and those of an option live longer than the call.
  const operation = 'value' in given ? { ...given, value: structuredClone(given.value) } : given;
  switch (operation.mode) {
    case 'set':
      return edit(body, operation.path, (found) => (operation.keep && found !== undefined ? found : operation.value));
    case 'delete':
      return edit(body, operation.path, () => undefined);
    case 'append':
      return edit(body, operation.path, (found) =>
        operation.keep && asFields(found) ? joined(operation.value, found, found) : joined(found, operation.value),
      );
    case 'prepend':
      return edit(body, operation.path, (found) => joined(operation.value, found, found));
    default: {
      const found = operation.from.reduce<unknown>(child, body);
      if (found === undefined) return body;
      const rest = operation.mode === 'copy' ? body : edit(body, operation.from, () => undefined);
      return edit(rest, operation.to, () => found);
    }
  }
}

/**
 * Joins two texts, lists or objects. A list also accepts a single element.
 * @param otherwise the result for values that cannot be joined
 */
function joined(first: unknown, second: unknown, otherwise: unknown = first): unknown {
  if (first === undefined || second === undefined) return first ?? second;
  if (Array.isArray(otherwise)) return [first, second].flat();
  if (typeof first === 'string' && typeof second === 'string') return first + second;
  const [one, other] = [asFields(first), asFields(second)];
  return one && other ? { ...one, ...other } : otherwise;
}

/** @returns undefined for a missing value; -1 selects the last element of a list */
function child(parent: unknown, name: string): unknown {
  if (Array.isArray(parent)) return parent[indexIn(parent, name)] as unknown;
  const fields = asFields(parent);
  return fields && Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function indexIn(list: readonly unknown[], name: string): number {
  if (!/^-?\d{1,6}$/.test(name)) return -1;
  const index = Number(name);
  return index < 0 ? list.length + index : index;
}

/**
 * Returns a copy of `parent` with one value changed.
 * @param change receives the current value and returns the new one; undefined removes it
 */
function edit(parent: unknown, path: readonly string[], change: (found: unknown) => unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return change(parent);
  if (Array.isArray(parent)) {
    const index = indexIn(parent, name);
    // A list grows by one element at a time.
    if (index < 0 || index > parent.length) return parent;
    const next = edit(parent[index], rest, change);
    if (next === parent[index]) return parent;
    return next === undefined
      ? parent.filter((_each, at) => at !== index)
      : [...(parent.slice(0, index) as unknown[]), next, ...(parent.slice(index + 1) as unknown[])];
  }
  const fields = asFields(parent ?? {});
  if (!fields) return parent;
  const before = child(fields, name);
  const next = edit(before, rest, change);
  if (next === before) return parent;
  const { [name]: _before, ...others } = fields;
  return next === undefined ? others : { ...fields, [name]: next };
}

const withoutUndefined = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
