import type { ProviderRow } from '../../providers/provider.js';
import { openModelServer } from '../hosted/open-models.js';

export const rows: readonly ProviderRow[] = [{ ...openModelServer, id: 62, name: 'vllm', label: 'vLLM' }];
