import { RelayError } from '../../dialects/errors/relay-error.js';
import { parseFields } from '../../shared/json.js';

/** The parsed `model_mapping`. Null when the text is not a JSON object of names, which is a defect of the channel. */
export type ModelMapping = Readonly<Record<string, string>> | null;

/** @returns null for text that is not a JSON object of names */
export function parseModelMapping(text: string): ModelMapping {
  if (text.trim() === '') return {};
  const names = parseFields(text);
  return names && Object.values(names).every((target) => typeof target === 'string') ? (names as ModelMapping) : null;
}

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
