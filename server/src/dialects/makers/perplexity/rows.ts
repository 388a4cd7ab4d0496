import { perplexity } from './perplexity.js';
import { acceptsUsual, type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 27,
    name: 'perplexity',
    label: 'Perplexity',
    defaultBaseUrl: 'https://api.perplexity.ai',
    models: words('sonar sonar-pro sonar-reasoning sonar-reasoning-pro sonar-deep-research'),
    accepts: { ...acceptsUsual, accountFields: [], tools: false },
    discovery: null,
    adapter: perplexity,
  },
];
