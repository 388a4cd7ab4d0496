import type { Adapter } from '../../adapter.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import { asFields, asFieldsList, type Fields } from '../../neutral/fields.js';
import { schemaInstruction, withInstruction } from '../../protocols/openai/json-instruction.js';
import type { BodyRules } from '../openai-compatible/dialect.js';
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

/** docs/reference/providers/openai-family.md#request-changes, type 43. */
function deepseekRules(body: Fields, model: string): BodyRules {
  const format = asFields(body['response_format']);
  const described = asFields(format?.['json_schema']);
  const messages = body['messages'];
  if (format?.['type'] !== 'json_schema' || !described || !Array.isArray(messages)) return { model, changes: null };
  return {
    model,
    changes: {
      response_format: { type: 'json_object' },
      messages: withInstruction(messages as unknown[], schemaInstruction(described)),
    },
  };
}

export const deepseek: Adapter = openAICompatible({
  capabilities: { completions: '/beta/completions' },
  streamUsage: true,
  rules: deepseekRules,
  answer: refuseExhausted,
  chunk: refuseExhausted,
});
