import { anthropic } from './anthropic.js';
import { readList, withoutVersion, type Discovery } from '../../providers/discovery.js';
import { anthropicHeaders, type ProviderRow, words } from '../../providers/provider.js';

const anthropicDiscovery: Discovery = {
  request: (base, key) => ({
    url: `${withoutVersion(base)}/v1/models`,
    headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' },
  }),
  read: readList,
};

export const rows: readonly ProviderRow[] = [
  {
    id: 14,
    name: 'anthropic',
    label: 'Anthropic Claude',
    clientHeaders: anthropicHeaders,
    defaultBaseUrl: 'https://api.anthropic.com',
    models: words(`
      claude-instant-1.2 claude-2 claude-2.0 claude-2.1 claude-3-sonnet-20240229 claude-3-opus-20240229
      claude-3-haiku-20240307 claude-3-5-haiku-20241022 claude-3-5-sonnet-20240620 claude-3-5-sonnet-20241022
      claude-3-7-sonnet-20250219 claude-3-7-sonnet-20250219-thinking claude-sonnet-4-20250514
      claude-sonnet-4-20250514-thinking claude-opus-4-20250514 claude-opus-4-20250514-thinking`),
    catalogueOwner: 'claude',
    discovery: anthropicDiscovery,
    retriesBadRequest: true,
    adapter: anthropic,
  },
];
