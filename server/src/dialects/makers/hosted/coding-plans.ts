import type { Adapter } from '../../contract.js';
import { bearer } from '../openai-compatible/address.js';
import { openAICompatible } from '../openai-compatible/openai-compatible.js';
import { hostedMessages } from './hosted-messages.js';

/** Addresses of a subscription for coding agents. Its keys are valid only at these addresses. */
interface CodingPlan {
  /** The text that older consoles store as the base URL. */
  readonly name: string;
  /** Base URL of chat completions, without `/chat/completions`. */
  readonly chat: string;
  /** Base URL of Messages, without `/v1/messages`. */
  readonly messages: string;
}

const plans: readonly CodingPlan[] = [
  {
    name: 'glm-coding-plan',
    chat: 'https://open.bigmodel.cn/api/coding/paas/v4',
    messages: 'https://open.bigmodel.cn/api/anthropic',
  },
  {
    name: 'glm-coding-plan-international',
    chat: 'https://api.z.ai/api/coding/paas/v4',
    messages: 'https://api.z.ai/api/anthropic',
  },
  { name: 'kimi-coding-plan', chat: 'https://api.kimi.com/coding/v1', messages: 'https://api.kimi.com/coding' },
  {
    name: 'doubao-coding-plan',
    chat: 'https://ark.cn-beijing.volces.com/api/coding/v3',
    messages: 'https://ark.cn-beijing.volces.com/api/coding',
  },
  {
    name: 'qwen-coding-plan',
    chat: 'https://coding.dashscope.aliyuncs.com/v1',
    messages: 'https://coding.dashscope.aliyuncs.com/apps/anthropic',
  },
  {
    name: 'qwen-coding-plan-international',
    chat: 'https://coding-intl.dashscope.aliyuncs.com/v1',
    messages: 'https://coding-intl.dashscope.aliyuncs.com/apps/anthropic',
  },
  {
    name: 'deepseek-coding-plan',
    chat: 'https://api.deepseek.com',
    messages: 'https://api.deepseek.com/anthropic',
  },
];

/**
 * Returns the adapter of a channel whose base URL is that of a coding plan, where Messages are native.
 * @returns null for every other base URL
 */
export function codingPlanAdapter(baseUrl: string): Adapter | null {
  const base = baseUrl.trim().replace(/\/+$/, '');
  const plan = plans.find(
    ({ name, chat, messages }) => base === name || base === messages || (base === chat && isOwn(chat)),
  );
  if (!plan) return null;
  return {
    ...openAICompatible({ chat: () => `${plan.chat}/chat/completions`, credentials: bearer }),
    messages: hostedMessages(() => `${plan.messages}/v1/messages`),
  };
}

/** DeepSeek's chat address is the same for all its customers. */
const isOwn = (chat: string): boolean => chat.includes('/coding') || chat.includes('//coding');
