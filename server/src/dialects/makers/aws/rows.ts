import { aws } from './aws.js';
import { anthropicHeaders, type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 33,
    name: 'aws',
    label: 'AWS Claude',
    clientHeaders: anthropicHeaders,
    defaultBaseUrl: '',
    models: words(`
      claude-2.0 claude-2.1 claude-3-5-haiku-20241022 claude-3-5-sonnet-20240620 claude-3-5-sonnet-20241022
      claude-3-7-sonnet-20250219 claude-3-haiku-20240307 claude-3-opus-20240229 claude-3-sonnet-20240229
      claude-instant-1.2 claude-opus-4-20250514 claude-sonnet-4-20250514`),
    discovery: null,
    adapter: aws,
  },
];
