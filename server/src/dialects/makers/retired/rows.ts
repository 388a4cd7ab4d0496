import { aiProxyBalance, creditsBalance } from './balance.js';
import type { ProviderRow } from '../../providers/provider.js';

const retired = { name: 'custom', defaultBaseUrl: '', offered: false } as const;

/**
 * Provider types of older consoles. Their channels may exist in an imported database: realtime sessions and balances
 * keep working, calls are refused, and new channels cannot have the type.
 */
export const rows: readonly ProviderRow[] = [
  { ...retired, id: 6, label: 'OpenAI Max', enumName: 'OPENAI_MAX', realtime: 'openai' },
  { ...retired, id: 7, label: 'OhMyGPT', enumName: 'OHMYGPT', realtime: 'openai' },
  { ...retired, id: 9, label: 'Ails', enumName: 'AILS', realtime: 'openai' },
  {
    ...retired,
    id: 10,
    label: 'AI Proxy',
    enumName: 'AI_PROXY',
    realtime: 'openai',
    balance: aiProxyBalance,
    balanceUnit: 'POINTS',
  },
  {
    ...retired,
    id: 12,
    label: 'API2GPT',
    enumName: 'API2GPT',
    realtime: 'openai',
    balance: creditsBalance('https://api.api2gpt.com/dashboard/billing/credit_grants', 'total_remaining'),
  },
  {
    ...retired,
    id: 13,
    label: 'AIGC2D',
    enumName: 'AIGC2D',
    realtime: 'openai',
    balance: creditsBalance('https://api.aigc2d.com/dashboard/billing/credit_grants', 'total_available'),
  },
];
