import type { Adapter } from '../../adapter.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import { asFieldsList, type Fields } from '../../neutral/fields.js';
import { openAICompatible } from '../openai-compatible/openai-compatible.js';

/**
 * The provider stopped in the middle: another channel may succeed.
 * @throws UpstreamError
 */
function refuseExhausted(answer: Record<string, unknown>): Record<string, unknown> {
  const exhausted = (choice: Fields): boolean => choice['finish_reason'] === 'insufficient_system_resource';
  if (!asFieldsList(answer['choices']).some(exhausted)) return answer;
  throw new UpstreamError(503, {
    message: 'The provider ran out of resources',
    type: 'upstream_error',
    code: 'insufficient_system_resource',
  });
}

export const deepseek: Adapter = openAICompatible({
  capabilities: { completions: '/beta/completions' },
  streamUsage: true,
  answer: refuseExhausted,
  chunk: refuseExhausted,
});
