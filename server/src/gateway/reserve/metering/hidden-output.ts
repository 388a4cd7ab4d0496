import { claudeTraits } from '../../../dialects/languages/anthropic/claude-model.js';
import { asFields, asFieldsList, either, type Fields } from '../../../dialects/neutral/fields.js';

/** Models that think only when a request asks for it, or never. All their output is visible. */
const plainModels = new RegExp(
  [
    'gpt-3\\.5',
    'gpt-4(?:$|-|o|\\.)',
    'chatgpt-4o',
    'claude-',
    'gemini-(?:1|2\\.0)',
    'gemma',
    'text-',
    'deepseek-(?:chat|coder|v[23]$)',
    'mistral|ministral|mixtral|codestral|open-mi|pixtral',
    'command',
    'llama|meta-llama',
    'moonshot-v1',
    'qwen-(?:max|plus|turbo|long)',
    'glm-4(?:$|-)',
    'grok-[23](?:$|-(?!mini))',
    'ernie|hunyuan-(?:lite|standard)|yi-|abab',
  ]
    .map((name) => `^(?:${name})`)
    .join('|'),
  'i',
);
const thinkingName = /thinking|reason|search|research/i;
/** Tools that a provider runs and bills by the call. The prompt grows by what they find. */
const providerTools = /search|fetch|execution|interpreter|mcp|image_generation|retriev|url_?context|maps/i;
const searchFields = ['web_search_options', 'search_parameters', 'enable_search', 'plugins', 'mcp_servers'];
const thinkingFields = ['thinking', 'reasoning', 'reasoning_effort', 'enable_thinking', 'chat_template_kwargs'];

/**
 * Whether the provider runs tools of the request. Tools are recognized by their type, or in Gemini's dialect by the
 * name of their field.
 */
function hasProviderTools(body: Fields): boolean {
  return (
    searchFields.some((name) => Boolean(body[name])) ||
    asFieldsList(body['tools']).some(({ type, ...fields }) =>
      typeof type === 'string'
        ? providerTools.test(type)
        : Object.keys(fields).some((name) => providerTools.test(name)),
    )
  );
}

/** Whether a call may produce output that is billed and not shown: thoughts, tool calls. An unknown model may. */
export function mayHideOutput(model: string, body: Fields): boolean {
  const bare = model.slice(model.lastIndexOf('/') + 1);
  if (!plainModels.test(bare) || thinkingName.test(bare) || claudeTraits(bare).alwaysThinks) return true;
  // A background response is completed whether or not the client stays connected, and is read by its id later.
  if (body['background'] === true) return true;
  if (thinkingFields.some((name) => Boolean(body[name])) || hasProviderTools(body)) return true;
  const google = [asFields(body['extra_body'])?.['google'], body['google']];
  return [either(body, 'generationConfig', 'generation_config'), ...google].some((held) => {
    const config = asFields(held);
    return config !== null && Boolean(either(config, 'thinkingConfig', 'thinking_config'));
  });
}
