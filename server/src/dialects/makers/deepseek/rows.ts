import { byThinking } from '../../accepts.js';
import { deepseek } from './deepseek.js';
import { codingPlanAdapter } from '../hosted/coding-plans.js';
import { deepSeekBalance } from './balance.js';
import { deepSeekHours } from './hours.js';
import { acceptsUsual, type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 43,
    name: 'deepseek',
    label: 'DeepSeek',
    defaultBaseUrl: 'https://api.deepseek.com',
    models: words('deepseek-chat deepseek-reasoner'),
    balance: deepSeekBalance,
    balanceUnit: 'CNY',
    accepts: { ...acceptsUsual, reasoningHistory: 'reasoning_content', thinkingOff: byThinking(/^/) },
    conditionAt: deepSeekHours,
    adapter: deepseek,
    adapterFor: ({ baseUrl }) => codingPlanAdapter(baseUrl),
  },
];
