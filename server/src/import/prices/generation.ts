import type { Family } from '../family.js';
import type { SourceDatabase } from '../source/source.js';

/** Programs by how they compute prices. */
export type Generation = 'one-api' | 'veloera' | 'new-api 2025' | 'new-api 2026';

/** new-api changed its price rules about when channels got the column of their keys. @returns null for LiteLLM */
export function generationOf(family: Family, { columns }: Pick<SourceDatabase, 'columns'>): Generation | null {
  if (family === 'litellm') return null;
  if (family !== 'new-api') return family;
  return columns.get('channels')?.has('channel_info') ? 'new-api 2026' : 'new-api 2025';
}
