import { RelayError } from '../../dialects/errors/relay-error.js';
import type { ModelMapping } from './routed-channel.js';

/**
 * Follows the mapping to its end (docs/reference/relay/routing.md#model-mapping). The name with its routing prefix is
 * looked up first, then the bare one. A name that maps to itself ends the chain.
 * @returns the name to send to the provider
 * @throws RelayError model_mapped_error (another channel may serve the call), model_mapping_contains_cycle (400)
 */
export function mapModel(mapping: ModelMapping, requestedModel: string, bareModel: string): string {
  if (mapping === null) {
    throw new RelayError('MODEL_MAPPING_INVALID', 'unmarshal_model_mapping_failed', 'model_mapped_error');
  }
  const start = Object.hasOwn(mapping, requestedModel) ? requestedModel : bareModel;
  let current = start;
  const seen = new Set([current]);
  while (Object.hasOwn(mapping, current)) {
    const next = mapping[current];
    if (next === undefined || next === '' || next === current) break;
    if (seen.has(next)) {
      throw new RelayError('MODEL_MAPPING_INVALID', 'model_mapping_contains_cycle', 'model_mapping_contains_cycle', {
        status: 400,
      });
    }
    seen.add(next);
    current = next;
  }
  return current === requestedModel ? bareModel : current;
}
