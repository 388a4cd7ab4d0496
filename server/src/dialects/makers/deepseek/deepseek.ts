import type { Adapter } from '../../contract.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import { asFields, asFieldsList, type Fields } from '../../neutral/fields.js';
import { schemaInstruction, withInstruction } from '../../languages/openai/json-instruction.js';
import type { BodyRules } from '../openai-compatible/variant.js';
import { openAICompatible } from '../openai-compatible/openai-compatible.js';

/**
 * Refuses a response that the provider stopped in the middle. Another channel may succeed.
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

/** Returns the request changes of type 43 (docs/reference/providers/openai-family.md#request-changes). */
function deepseekRules(body: Fields, model: string): BodyRules {
  const effort = body['reasoning_effort'];
  const isOff = effort === 'none';
  // The models of this maker think by default.
  const stopsThinking = asFields(body['thinking']) === null && (isOff || forcesTool(body));
  const changes = {
    ...toldSchema(body),
    ...(stopsThinking ? { thinking: { type: 'disabled' } } : {}),
    ...(stopsThinking && effort !== undefined ? { reasoning_effort: undefined } : {}),
  };
  return {
    model,
    changes: Object.keys(changes).length > 0 ? changes : null,
    ...(stopsThinking && !isOff && typeof effort === 'string' ? { dropped: ['reasoning_effort'] } : {}),
  };
}

/** Whether a call requires a tool call as its response, which DeepSeek refuses while the model thinks. */
function forcesTool({ tools, tool_choice: choice }: Fields): boolean {
  if (!Array.isArray(tools) || tools.length === 0) return false;
  const given = asFields(choice);
  if (given?.['type'] === 'allowed_tools') return asFields(given['allowed_tools'])?.['mode'] === 'required';
  return choice === 'required' || given !== null;
}

function toldSchema({ response_format: format, messages }: Fields): Readonly<Record<string, unknown>> {
  const given = asFields(format);
  const described = asFields(given?.['json_schema']);
  if (given?.['type'] !== 'json_schema' || !described || !Array.isArray(messages)) return {};
  return {
    response_format: { type: 'json_object' },
    messages: withInstruction(messages as unknown[], schemaInstruction(described)),
  };
}

export const deepseek: Adapter = openAICompatible({
  capabilities: { completions: '/beta/completions' },
  rules: deepseekRules,
  answer: refuseExhausted,
  chunk: refuseExhausted,
});
