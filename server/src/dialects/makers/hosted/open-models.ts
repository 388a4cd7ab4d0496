import { byTemplate } from '../../accepts.js';
import { acceptsAccountFields, anthropicHeaders, openAIHeaders, type ProviderRow } from '../../providers/provider.js';
import { hosted } from './hosted.js';

/** The row of a server of open models at an address of the operator, without its number and names. */
export const openModelServer: Omit<ProviderRow, 'id' | 'name' | 'label'> = {
  defaultBaseUrl: '',
  needsBaseUrl: true,
  accepts: { ...acceptsAccountFields, reasoningHistory: 'reasoning_content', thinkingOff: byTemplate },
  clientHeaders: [...openAIHeaders, ...anthropicHeaders],
  adapter: hosted({ capabilities: { completions: true, embeddings: true, rerank: true, transcription: true } }),
};
