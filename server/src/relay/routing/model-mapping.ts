import { RelayError } from '../errors/relay-error.js';

/** Parsed `model_mapping`. Null: the text is not a JSON object of names, which is a defect of the channel. */
export type ModelMapping = Readonly<Record<string, string>> | null;

export function parseModelMapping(text: string): ModelMapping {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    const names = Object.entries(value as Record<string, unknown>);
    if (names.some(([, target]) => typeof target !== 'string')) return null;
    return Object.fromEntries(names) as Record<string, string>;
  } catch {
    return null;
  }
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
