import { xai } from './xai.js';
import { traceHeaders, type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 48,
    name: 'xai',
    label: 'xAI',
    clientHeaders: [...traceHeaders, 'x-grok-conv-id'],
    // docs.x.ai, "Maximizing cache hits" (November 2026).
    cacheKey: 'x-grok-conv-id',
    defaultBaseUrl: 'https://api.x.ai',
    realtime: 'openai',
    videos: 'xai',
    models: words(`
      grok-3-beta grok-3-mini-beta grok-3-fast-beta grok-3-mini-fast-beta grok-3-mini-beta-high
      grok-3-mini-beta-low grok-3-mini-beta-medium grok-3-mini-fast-beta-high grok-3-mini-fast-beta-low
      grok-3-mini-fast-beta-medium grok-2-image grok-2 grok-2-vision grok-beta grok-vision-beta`),
    adapter: xai,
  },
];
