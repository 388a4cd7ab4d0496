import { dify } from './dify.js';
import type { ProviderRow } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 37,
    name: 'dify',
    label: 'Dify',
    defaultBaseUrl: 'https://api.dify.ai',
    adapter: dify,
  },
];
