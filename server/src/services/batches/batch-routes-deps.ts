import type { AnthropicSubmissions } from './anthropic-submissions.js';
import type { Batches } from './batches.js';
import type { GeminiSubmissions } from './gemini-submissions.js';
import type { OpenAISubmissions } from './openai-submissions.js';

/** Dependencies of the batch routes. */
export interface BatchRoutesDeps {
  readonly batches: Batches;
  readonly openAI: OpenAISubmissions;
  readonly anthropic: AnthropicSubmissions;
  readonly gemini: GeminiSubmissions;
  readonly maxBodyBytes: number;
}
