import { AppError } from '../../shared/errors.js';

/** The provider's names of models, by the names that clients request. */
export type ModelMapping = Readonly<Record<string, string>>;

/**
 * Follows the mapping to its end (docs/reference/relay/routing.md#model-mapping). The name with its routing prefix is
 * looked up first, then the bare one. A name that maps to itself ends the chain.
 * @param mapping null: names stay as they are, without the prefix
 * @returns the name to send to the provider
 * @throws AppError MODEL_MAPPING_INVALID for a cycle
 */
export function mapModel(mapping: ModelMapping | null, requestedModel: string, bareModel: string): string {
  if (!mapping) return bareModel;
  const start = Object.hasOwn(mapping, requestedModel) ? requestedModel : bareModel;
  let current = start;
  const seen = new Set([current]);
  while (Object.hasOwn(mapping, current)) {
    const next = mapping[current];
    if (next === undefined || next === '' || next === current) break;
    if (seen.has(next)) {
      throw new AppError('MODEL_MAPPING_INVALID', 'model_mapping_contains_cycle');
    }
    seen.add(next);
    current = next;
  }
  return current === requestedModel ? bareModel : current;
}
