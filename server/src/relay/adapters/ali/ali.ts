import type { Adapter } from '../../adapter.js';
import type { Fields } from '../../neutral/fields.js';
import type { BodyRules } from '../openai-compatible/dialect.js';
import { openAICompatible } from '../openai-compatible/openai-compatible.js';

const searches = /-internet$/;

/** `relay-providers.md` 1.4 and 5.5: the ends of the range are refused, and the suffix `-internet` asks for a search. */
export function aliRules(body: Fields, model: string): BodyRules {
  const changes: Record<string, unknown> = {};
  const topP = body['top_p'];
  if (typeof topP === 'number' && topP >= 1) changes['top_p'] = 0.999;
  if (typeof topP === 'number' && topP <= 0) changes['top_p'] = 0.001;
  if (searches.test(model)) changes['enable_search'] = true;
  return { model: model.replace(searches, ''), changes: Object.keys(changes).length > 0 ? changes : null };
}

export const ali: Adapter = openAICompatible({
  defaultBaseUrl: 'https://dashscope.aliyuncs.com',
  chatUrl: (base) => `${base}/compatible-mode/v1/chat/completions`,
  headers: ({ other }, { stream }) => ({
    ...(stream ? { 'x-dashscope-sse': 'enable' } : {}),
    ...(other.trim() ? { 'x-dashscope-plugin': other.trim() } : {}),
  }),
  streamUsage: true,
  rules: aliRules,
});
