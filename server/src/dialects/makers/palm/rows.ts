import { palm } from './palm.js';
import { type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 11,
    name: 'google palm',
    label: 'Google PaLM2',
    defaultBaseUrl: '',
    models: words('PaLM-2'),
    adapter: palm,
  },
];
