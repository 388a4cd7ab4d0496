import { jina } from './jina.js';
import { type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 38,
    name: 'jina',
    label: 'Jina',
    defaultBaseUrl: 'https://api.jina.ai',
    models: words('jina-clip-v1 jina-reranker-v2-base-multilingual'),
    adapter: jina,
  },
];
