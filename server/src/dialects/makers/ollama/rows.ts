import { z } from 'zod';
import { ollama, ollamaNative } from './ollama.js';
import { bearerOf, withoutVersion, type Discovery } from '../../providers/discovery.js';
import { acceptsAccountFields, type ProviderRow, words } from '../../providers/provider.js';

const ollamaList = z.object({ models: z.array(z.object({ name: z.string() })) });

const ollamaDiscovery: Discovery = {
  request: (base, key) => ({ url: `${withoutVersion(base)}/api/tags`, headers: bearerOf(key) }),
  read: (body) => ollamaList.safeParse(body).data?.models.map(({ name }) => name) ?? null,
};

export const rows: readonly ProviderRow[] = [
  {
    id: 4,
    name: 'ollama',
    label: 'Ollama',
    defaultBaseUrl: 'http://localhost:11434',
    models: words('llama3-7b'),
    accepts: {
      ...acceptsAccountFields,
      // The thinking of gpt-oss cannot be turned off.
      thinkingOff: { models: /^(?!.*gpt-oss)/, fields: { reasoning_effort: 'none' } },
    },
    discovery: ollamaDiscovery,
    adapter: ollama,
    alternative: ollamaNative,
  },
];
