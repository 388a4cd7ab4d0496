import type { AnthropicOrders } from './anthropic-orders.js';
import type { Batches } from './batches.js';
import type { GeminiOrders } from './gemini-orders.js';
import type { OpenAIOrders } from './openai-orders.js';

/** Dependencies of the batch routes. */
export interface BatchRoutesDeps {
  readonly batches: Batches;
  readonly openAI: OpenAIOrders;
  readonly anthropic: AnthropicOrders;
  readonly gemini: GeminiOrders;
  readonly maxBodyBytes: number;
}
