import { parseFields } from '../../shared/json.js';
import { listOf, type Fields } from '../source/fields.js';
import type { Generation } from './generation.js';
import type { PricedModel } from './source-price.js';

/** A model of a channel, as the old program priced it. */
export interface ServedModel extends PricedModel {
  readonly channel: number;
  readonly isEnabled: boolean;
  readonly priority: number;
  readonly weight: number;
}

/** Columns of a channel that its prices depend on. */
export const servedColumns = ['id', 'type', 'status', 'models', 'model_mapping', 'priority', 'weight'];

/** The models of a channel. */
export function servedBy(row: Fields, generation: Generation): ServedModel[] {
  const mapping = parseFields(row.text('model_mapping')) ?? {};
  const channel = {
    channel: row.id,
    type: row.whole('type', 1),
    isEnabled: row.whole('status', 1) === 1,
    priority: row.whole('priority'),
    weight: row.whole('weight'),
  };
  const served = listOf(row.text('models')).map((model): ServedModel => ({
    ...channel,
    requested: model,
    upstream: mapped(model, mapping, generation),
  }));
  if (generation !== 'one-api') return served;
  // Its log has the mapped name, by which it prices. The name gets a price, for calls of the log and for channels to come.
  const targets = served.map(({ upstream }): ServedModel => ({
    ...channel,
    requested: upstream,
    upstream,
    isEnabled: false,
  }));
  return [...served, ...targets];
}

/** one-api looks a name up once, the others as long as the name that they find is mapped again. */
function mapped(model: string, mapping: Readonly<Record<string, unknown>>, generation: Generation): string {
  const seen = new Set<string>();
  for (let name = model; ;) {
    const next = Object.hasOwn(mapping, name) ? mapping[name] : '';
    if (typeof next !== 'string' || next === '' || seen.has(next)) return name;
    if (generation === 'one-api') return next;
    seen.add(name);
    name = next;
  }
}

/** The channel that serves most calls of a model comes first. */
export const byUse = (left: ServedModel, right: ServedModel): number =>
  Number(right.isEnabled) - Number(left.isEnabled) ||
  right.priority - left.priority ||
  right.weight - left.weight ||
  left.channel - right.channel;
