import { asFields, either, type Fields } from '../neutral/fields.js';

const count = (value: unknown): number =>
  typeof value === 'number' && value > 1 ? Math.min(Math.floor(value), 1024) : 1;

/** How many answers of full length a request asks for, each of which may be as long as the output limit allows. */
export function choicesOf(body: Fields): number {
  const config = asFields(either(body, 'generationConfig', 'generation_config')) ?? {};
  const candidates = count(either(config, 'candidateCount', 'candidate_count'));
  const { prompt } = body;
  // Each prompt of a list is completed; a list of numbers is one prompt.
  const prompts = Array.isArray(prompt) && typeof prompt[0] !== 'number' ? Math.max(1, prompt.length) : 1;
  return Math.max(count(body['n']), count(body['best_of']), candidates) * prompts;
}
