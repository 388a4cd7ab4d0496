import type { Adapter } from '../../contract.js';
import { countAt } from '../anthropic/count.js';
import { gemini } from '../gemini/gemini.js';
import { hosted } from '../hosted/hosted.js';
import { deploymentRules as rules } from '../openai-compatible/chat-body.js';
import { everything } from '../openai-compatible/variant.js';
import { openAIBalance } from '../../providers/balance.js';
import { acceptsAccountFields, anthropicHeaders, openAIHeaders, type ProviderRow } from '../../providers/provider.js';

/** Headers of coding agents for cache affinity, which gateways forward. */
const sessionHeaders: readonly string[] = [
  ...['session_id', 'session-id', 'conversation_id', 'conversation-id', 'x-session-id'],
  'x-claude-code-session-id',
];
const family = hosted({ capabilities: everything, compaction: true, rules });
/** Another gateway of the one-api family, which serves all dialects. */
const gateway: Adapter = {
  ...family,
  generate: gemini.generate,
  ...(family.messages ? { countMessages: countAt(family.messages) } : {}),
};

export const rows: readonly ProviderRow[] = [
  {
    id: 60,
    name: 'new-api',
    label: 'New API (gateway)',
    defaultBaseUrl: '',
    needsBaseUrl: true,
    accepts: { ...acceptsAccountFields, developerRole: true, customTools: true, reasoningHistory: 'reasoning_content' },
    clientHeaders: [...openAIHeaders, ...anthropicHeaders, ...sessionHeaders],
    balance: openAIBalance,
    realtime: 'openai',
    videos: 'openai',
    adapter: gateway,
  },
];
