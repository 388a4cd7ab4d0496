import { splitList } from '../../shared/comma-list.js';
import { parseFields } from '../../shared/json.js';
import type { Fields } from '../source/fields.js';
import { pricesMappedName, type Generation } from './generation.js';
import type { PricedModel } from './source-price.js';

/** A model of a channel, as the source program priced it. */
export interface ServedModel extends PricedModel {
  readonly channel: number;
  readonly isEnabled: boolean;
  readonly priority: number;
  readonly weight: number;
}

/** Columns of a channel that determine its prices. */
export const servedColumns = [
  ...['id', 'type', 'status', 'models', 'model_mapping', 'priority', 'weight'],
  'billed_as_requested',
];

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
  const asRequested = new Set(splitList(row.text('billed_as_requested')));
  const served = splitList(row.text('models')).map((model): ServedModel => ({
    ...channel,
    requested: model,
    upstream: asRequested.has(model) ? model : mapped(model, mapping, generation),
  }));
  if (!pricesMappedName(generation)) return served;
  // The log of these programs has the mapped name, and prices are found by it. The mapped name gets a price as well, for
  // log rows and for future channels.
  const targets = served.map(({ upstream }): ServedModel => ({
    ...channel,
    requested: upstream,
    upstream,
    isEnabled: false,
  }));
  return [...served, ...targets];
}

/**
 * Applies a channel's mapping. one-api and one-hub map a name once; the other programs repeat this while the result is
 * mapped again.
 */
function mapped(model: string, mapping: Readonly<Record<string, unknown>>, generation: Generation): string {
  const seen = new Set<string>();
  for (let name = model; ;) {
    const next = Object.hasOwn(mapping, name) ? mapping[name] : '';
    if (typeof next !== 'string' || next === '' || seen.has(next)) return name;
    if (pricesMappedName(generation)) return next;
    seen.add(name);
    name = next;
  }
}

/** Sorts the channel that serves most calls of a model first. */
export const byUse = (left: ServedModel, right: ServedModel): number =>
  Number(right.isEnabled) - Number(left.isEnabled) ||
  right.priority - left.priority ||
  right.weight - left.weight ||
  left.channel - right.channel;

/** A name in the log of the source → the other names under which users request it. */
export type Aliases = ReadonlyMap<string, readonly string[]>;

/** Returns the aliases of programs that log the mapped name only. Those of the most used channel count, as for prices. */
export function aliasesOf(calls: readonly ServedModel[], generation: Generation): Aliases {
  const aliases = new Map<string, string[]>();
  if (!pricesMappedName(generation)) return aliases;
  const seen = new Set<string>();
  for (const { requested, upstream } of [...calls].sort(byUse)) {
    if (seen.has(requested)) continue;
    seen.add(requested);
    if (upstream !== requested) aliases.set(upstream, [...(aliases.get(upstream) ?? []), requested]);
  }
  return aliases;
}
