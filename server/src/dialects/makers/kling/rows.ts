import { type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 50,
    name: 'kling',
    label: 'Kling',
    defaultBaseUrl: 'https://api.klingai.com',
    videos: 'kling',
    models: words('kling-v1-6 kling-v2-master kling-v2-1-master kling-v2-5-turbo kling-v2-6 kling-v3'),
    discovery: null,
  },
];
