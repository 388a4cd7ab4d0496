import { asFields, asList, type Fields } from '../../../shared/json.js';

/** Keys of `custom_parameter` that say how the others are merged. `stream` is never changed. */
const controls = new Set(['stream', 'overwrite', 'per_model', 'remove_params', 'pre_add']);

/**
 * Returns the override of this product for a `custom_parameter` of one-hub: fields that the client has not sent are added, and
 * with `overwrite` also those that it has.
 */
export function overrideOfParameters(given: Fields): Fields {
  const keep = given['overwrite'] !== true;
  if (given['per_model'] !== true) return { operations: operationsOf(given, keep, {}) };
  const operations = Object.entries(given).flatMap(([model, parameters]) => {
    const own = controls.has(model) ? null : asFields(parameters);
    return own ? operationsOf(own, keep, { models: [model] }) : [];
  });
  return { operations };
}

function operationsOf(given: Fields, keep: boolean, scope: Fields): Fields[] {
  const removed = asList(given['remove_params']).map((path): Fields => ({ mode: 'delete', path, ...scope }));
  const set = Object.entries(given).flatMap(([name, value]) => (controls.has(name) ? [] : settersOf(name, value)));
  return [...removed, ...set];

  /** Objects are merged, so each of their values is set on its own. */
  function settersOf(path: string, value: unknown): Fields[] {
    if (value === '__delete__') return [{ mode: 'delete', path, ...scope }];
    const members = keep ? Object.entries(asFields(value) ?? {}) : [];
    if (members.length > 0) return members.flatMap(([name, member]) => settersOf(`${path}.${name}`, member));
    return [{ mode: 'set', path, value, ...(keep ? { keep_origin: true } : {}), ...scope }];
  }
}
