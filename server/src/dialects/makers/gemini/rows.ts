import { gemini } from './gemini.js';
import { checkGeminiVersion } from './url.js';
import { bearerOf, readList, type Discovery } from '../../providers/discovery.js';
import { googleHeaders, type ProviderRow, words } from '../../providers/provider.js';

/** The discovery of Gemini's OpenAI-compatible list, whose names begin with `models/`. */
const geminiDiscovery: Discovery = {
  request: (base, key) => ({ url: `${base}/v1beta/openai/models`, headers: bearerOf(key) }),
  read: (body) => readList(body)?.map((name) => name.replace(/^models\//, '')) ?? null,
};

export const rows: readonly ProviderRow[] = [
  {
    id: 24,
    name: 'google gemini',
    label: 'Google Gemini',
    clientHeaders: googleHeaders,
    defaultBaseUrl: 'https://generativelanguage.googleapis.com',
    videos: 'veo',
    models: words(`
      gemini-1.5-pro gemini-1.5-flash gemini-1.5-flash-8b gemini-2.0-flash gemini-1.5-pro-latest
      gemini-1.5-flash-latest gemini-2.0-flash-lite-preview gemini-exp-1206 gemini-2.0-flash-exp
      gemini-2.0-pro-exp gemini-2.0-flash-thinking-exp gemini-2.5-pro-exp-03-25 gemini-2.5-pro-preview-03-25
      imagen-3.0-generate-002 gemini-embedding-exp-03-07 text-embedding-004 embedding-001`),
    discovery: geminiDiscovery,
    deadKeyStatuses: [401, 403],
    other: { check: checkGeminiVersion },
    adapter: gemini,
  },
];
