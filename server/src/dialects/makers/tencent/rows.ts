import { tencent } from './tencent.js';
import { type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 23,
    name: 'tencent',
    label: 'Tencent Hunyuan',
    defaultBaseUrl: 'https://hunyuan.tencentcloudapi.com',
    models: words('hunyuan-lite hunyuan-standard hunyuan-standard-256K hunyuan-pro'),
    discovery: null,
    adapter: tencent,
  },
];
