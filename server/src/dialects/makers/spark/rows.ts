import { spark } from './spark.js';
import { type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 18,
    name: 'xunfei',
    label: 'iFlytek Spark',
    defaultBaseUrl: '',
    models: words(`
      SparkDesk SparkDesk-v1.1 SparkDesk-v2.1 SparkDesk-v3.1 SparkDesk-v3.5 SparkDesk-v4.0`),
    discovery: null,
    socketBase: true,
    other: { default: 'v2.1' },
    adapter: spark,
  },
];
