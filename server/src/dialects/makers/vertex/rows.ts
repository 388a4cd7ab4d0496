import { vertex } from './vertex.js';
import { anthropicHeaders, type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 41,
    name: 'vertex-ai',
    label: 'Vertex AI',
    clientHeaders: anthropicHeaders,
    defaultBaseUrl: '',
    videos: 'vertex-veo',
    models: words(`
      meta/llama3-405b-instruct-maas claude-instant-1.2 claude-2 claude-2.0 claude-2.1 claude-3-sonnet-20240229
      claude-3-opus-20240229 claude-3-haiku-20240307 claude-3-5-haiku-20241022 claude-3-5-sonnet-20240620
      claude-3-5-sonnet-20241022 claude-3-7-sonnet-20250219 claude-3-7-sonnet-20250219-thinking
      claude-sonnet-4-20250514 claude-sonnet-4-20250514-thinking claude-opus-4-20250514
      claude-opus-4-20250514-thinking gemini-1.5-pro gemini-1.5-flash gemini-1.5-flash-8b gemini-2.0-flash
      gemini-1.5-pro-latest gemini-1.5-flash-latest gemini-2.0-flash-lite-preview gemini-exp-1206
      gemini-2.0-flash-exp gemini-2.0-pro-exp gemini-2.0-flash-thinking-exp gemini-2.5-pro-exp-03-25
      gemini-2.5-pro-preview-03-25 imagen-3.0-generate-002 gemini-embedding-exp-03-07 text-embedding-004
      embedding-001`),
    keyForm: 'document',
    discovery: null,
    other: { form: 'region' },
    adapter: vertex,
  },
];
