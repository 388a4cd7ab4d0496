import { claudeTraits } from '../../../dialects/languages/anthropic/claude-model.js';
import { thinkingOnlyWhenAsked } from '../../../dialects/makers/reasoning.js';
import { serverTools } from '../../../dialects/server-tools.js';
import { asFields, asFieldsList, either, type Fields } from '../../../dialects/neutral/fields.js';

const thinkingName = /thinking|reason|search|research/i;
/** Tools that a provider runs without a fee. The prompt grows by what they find. */
const providerTools = /search|fetch|execution|interpreter|mcp|image_generation|retriev|url_?context|maps/i;
/** Fields that ask for thoughts, or with a prediction, whose rejected tokens are output. */
const hidingFields = [
  ...['thinking', 'reasoning', 'reasoning_effort', 'enable_thinking', 'chat_template_kwargs', 'prediction'],
];

/**
 * Whether the provider runs tools of the request. Tools are recognized by their type, or in Gemini's dialect by the
 * name of their field.
 */
function hasProviderTools(body: Fields): boolean {
  return (
    serverTools(body).length > 0 ||
    Boolean(body['plugins'] ?? body['mcp_servers']) ||
    asFieldsList(body['tools']).some(({ type, ...fields }) =>
      typeof type === 'string'
        ? providerTools.test(type)
        : Object.keys(fields).some((name) => providerTools.test(name)),
    )
  );
}

/** Whether a call may produce output that is billed and not shown: thoughts, tool calls, rejected predictions. An unknown model may. */
export function mayHideOutput(model: string, body: Fields): boolean {
  const bare = model.slice(model.lastIndexOf('/') + 1);
  if (!thinkingOnlyWhenAsked.test(bare) || thinkingName.test(bare) || claudeTraits(bare).alwaysThinks) return true;
  // A background response is completed whether or not the client stays connected, and is read by its id later.
  if (body['background'] === true) return true;
  if (hidingFields.some((name) => Boolean(body[name])) || hasProviderTools(body)) return true;
  const google = [asFields(body['extra_body'])?.['google'], body['google']];
  return [either(body, 'generationConfig', 'generation_config'), ...google].some((held) => {
    const config = asFields(held);
    return config !== null && Boolean(either(config, 'thinkingConfig', 'thinking_config', 'thinking_level'));
  });
}
