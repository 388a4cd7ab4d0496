import type { Usage } from '../../../shared/usage.js';
import { asFields, asFieldsList, asList, type Fields } from '../../neutral/fields.js';
import { toCount } from '../openai/usage.js';
import { toGeminiUsage, type Searches } from './gemini-usage.js';

/** Counts of one modality, of Interactions and of `generateContent`. */
const modalityFields = [
  ['input_tokens_by_modality', 'promptTokensDetails'],
  ['output_tokens_by_modality', 'candidatesTokensDetails'],
  ['cached_tokens_by_modality', 'cacheTokensDetails'],
] as const;

/**
 * Reads the usage of an interaction. Google counts thoughts separately from the output, and results of tools separately
 * from the input, as in `generateContent`.
 * @param found images and searches in its steps, for responses that report no count of them
 * @returns null if no usage was reported
 */
export function toInteractionUsage(raw: unknown, tier: unknown, found: FoundWork = noWork): Usage | null {
  const usage = asFields(raw);
  if (!usage) return null;
  const details = modalityFields.flatMap(([name, ours]) => (usage[name] ? [[ours, modalities(usage[name])]] : []));
  return toGeminiUsage(
    {
      promptTokenCount: usage['total_input_tokens'],
      toolUsePromptTokenCount: usage['total_tool_use_tokens'],
      cachedContentTokenCount: usage['total_cached_tokens'],
      candidatesTokenCount: usage['total_output_tokens'],
      thoughtsTokenCount: usage['total_thought_tokens'],
      serviceTier: tier,
      ...(Object.fromEntries(details) as Fields),
    },
    found.images,
    countedSearches(usage) ?? found,
  );
}

/** Work that the steps of an interaction show. */
export interface FoundWork extends Searches {
  readonly images: number;
}

export const noWork: FoundWork = { images: 0, web: 0, maps: 0 };

/** Returns the work of the steps of an interaction. Older responses have a list `outputs`. */
export const workOfSteps = (interaction: Fields): FoundWork =>
  stepsOf(interaction).reduce((sum, step) => sumOfWork(sum, workOf(step)), noWork);

/** Returns the steps of an interaction, or the entries of its older form. */
export const stepsOf = ({ steps, outputs }: Fields): Fields[] => asFieldsList(steps ?? outputs);

export const sumOfWork = (one: FoundWork, other: FoundWork): FoundWork => ({
  images: one.images + other.images,
  web: one.web + other.web,
  maps: one.maps + other.maps,
});

/** Combines what two events of a stream show of one step. */
export const moreWork = (one: FoundWork, other: FoundWork): FoundWork => ({
  images: Math.max(one.images, other.images),
  web: Math.max(one.web, other.web),
  maps: Math.max(one.maps, other.maps),
});

/** Returns the work that one step, one content or one delta shows. */
export function workOf(step: Fields): FoundWork {
  const { type } = step;
  if (type === 'model_output') return { ...noWork, images: asFieldsList(step['content']).filter(isImage).length };
  if (type === 'google_search_call') return { ...noWork, web: Math.max(1, queriesIn(step)) };
  if (type === 'google_maps_call') return { ...noWork, maps: 1 };
  return isImage(step) ? { ...noWork, images: 1 } : noWork;
}

const isImage = ({ type }: Fields): boolean => type === 'image';
const queriesIn = (step: Fields): number => asList(asFields(step['arguments'])?.['queries']).length;

const modalities = (value: unknown): Fields[] =>
  asFieldsList(value).map(({ modality, tokens }) => ({
    modality: typeof modality === 'string' ? modality.toUpperCase() : '',
    tokenCount: tokens,
  }));

/** @returns null if the usage has no counts of searches */
function countedSearches(usage: Fields): Searches | null {
  const counts = asFieldsList(usage['grounding_tool_count']);
  if (counts.length === 0) return null;
  const of = (name: string): number =>
    counts.filter(({ type }) => type === name).reduce((sum, { count }) => sum + toCount(count), 0);
  return { web: of('google_search'), maps: of('google_maps') };
}
