import { type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 51,
    name: 'jimeng',
    label: 'Jimeng',
    defaultBaseUrl: 'https://visual.volcengineapi.com',
    videos: 'jimeng',
    models: words('jimeng_v30 jimeng_v30_1080p jimeng_v30_pro'),
    discovery: null,
  },
];
