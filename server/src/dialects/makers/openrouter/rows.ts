import { reasoningRules as rules } from '../openai-compatible/chat-body.js';
import { openAICompatible } from '../openai-compatible/openai-compatible.js';
import { everything } from '../openai-compatible/variant.js';
import type { Target } from '../../target.js';
import { acceptsAccountFields, type ProviderRow } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 20,
    name: 'openrouter',
    label: 'OpenRouter',
    defaultBaseUrl: 'https://openrouter.ai/api',
    accepts: { ...acceptsAccountFields, reasoningHistory: 'reasoning', searchTool: 'openrouter:web_search' },
    adapter: openAICompatible({
      capabilities: everything,
      rules,
      headers: callerHeaders,
      alwaysReportsUsage: true,
    }),
  },
];

/** OpenRouter attributes calls to a site by its URL and name; the name is reduced to characters allowed in headers. */
function callerHeaders({ families: { site } }: Pick<Target, 'families'>): Record<string, string> {
  const name = site.name.replace(/[^\x20-\x7e]/g, '').trim() || 'Tollgate';
  const address = URL.canParse(site.address) ? new URL(site.address).href : null;
  return { ...(address === null ? {} : { 'http-referer': address }), 'x-title': name };
}
