import { mistral } from './mistral.js';
import { acceptsUsual, type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 42,
    name: 'mistral',
    label: 'Mistral AI',
    defaultBaseUrl: 'https://api.mistral.ai',
    models: words(`
      open-mistral-7b open-mixtral-8x7b mistral-small-latest mistral-medium-latest mistral-large-latest
      mistral-embed`),
    accepts: { ...acceptsUsual, accountFields: [], callIds: { length: 9 } },
    adapter: mistral,
  },
];
