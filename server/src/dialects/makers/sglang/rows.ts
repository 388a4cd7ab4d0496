import type { ProviderRow } from '../../providers/provider.js';
import { openModelServer } from '../hosted/open-models.js';

export const rows: readonly ProviderRow[] = [{ ...openModelServer, id: 63, name: 'sglang', label: 'SGLang' }];
