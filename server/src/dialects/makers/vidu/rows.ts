import { type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 52,
    name: 'vidu',
    label: 'Vidu',
    defaultBaseUrl: 'https://api.vidu.cn',
    videos: 'vidu',
    models: words('viduq3-pro viduq3-turbo viduq2 viduq2-pro viduq2-turbo viduq1'),
    discovery: null,
  },
];
