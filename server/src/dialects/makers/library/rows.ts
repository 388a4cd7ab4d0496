import { library } from './library.js';
import type { ProviderRow } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 21,
    name: 'custom',
    enumName: 'AI_PROXY_LIBRARY',
    label: 'Knowledge base: AI Proxy',
    defaultBaseUrl: 'https://api.aiproxy.io',
    adapter: library,
  },
];
