import { byThinking } from '../../accepts.js';
import { minimax, minimaxCompatible } from './minimax.js';
import { acceptsUsual, type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 35,
    name: 'minimax',
    label: 'MiniMax',
    defaultBaseUrl: 'https://api.minimax.chat',
    videos: 'minimax',
    models: words('abab6.5-chat abab6.5s-chat abab6-chat abab5.5-chat abab5.5s-chat'),
    accepts: {
      ...acceptsUsual,
      reasoningHistory: 'reasoning_content',
      thinkingOff: byThinking(/^minimax-m[3-9]/i),
    },
    adapter: minimax,
    alternative: minimaxCompatible,
  },
];
