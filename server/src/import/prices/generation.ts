import type { Family } from '../family.js';
import type { SourceDatabase } from '../source/source.js';

/** Program versions that compute prices in the same manner. */
export type Generation = 'one-api' | 'veloera' | 'new-api 2025' | 'new-api 2026' | 'one-hub';

/** Versions whose prices are tables of ratios, with rules for those that a site has not saved. */
export type RatioGeneration = Exclude<Generation, 'one-hub'>;

/** Versions that price the mapped name, which their log has too. */
export const pricesMappedName = (generation: Generation): boolean =>
  generation === 'one-api' || generation === 'one-hub';

/** Versions with a table of ratios of cached tokens. */
export const hasCacheTable = (generation: Generation): boolean => generation !== 'one-api' && generation !== 'one-hub';

/**
 * Returns the generation of a source. new-api changed its price rules at about the time at which channels got the
 * column for their keys.
 * @returns null for LiteLLM
 */
export function generationOf(family: Family, { columns }: Pick<SourceDatabase, 'columns'>): Generation | null {
  if (family === 'litellm') return null;
  if (family !== 'new-api') return family;
  return columns.get('channels')?.has('channel_info') ? 'new-api 2026' : 'new-api 2025';
}
