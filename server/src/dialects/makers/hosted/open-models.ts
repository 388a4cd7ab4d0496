import { byTemplate } from '../../accepts.js';
import { acceptsAccountFields, anthropicHeaders, openAIHeaders, type ProviderRow } from '../../providers/provider.js';
import { hosted } from './hosted.js';

/** What servers of open models have in common, at an address of the operator. */
export const openModelServer: Omit<ProviderRow, 'id' | 'name' | 'label'> = {
  defaultBaseUrl: '',
  needsBaseUrl: true,
  accepts: { ...acceptsAccountFields, reasoningHistory: 'reasoning_content', thinkingOff: byTemplate },
  clientHeaders: [...openAIHeaders, ...anthropicHeaders],
  adapter: hosted({ capabilities: { completions: true, embeddings: true, rerank: true, transcription: true } }),
};
