import { withTools } from '../../dialects/neutral/declared-tools.js';
import { limitedFields } from '../../dialects/priced-fields.js';
import { asFields, type Fields } from '../../dialects/neutral/fields.js';

/*
 * Sets the output limit of a request, in the client's dialect, to the output that its reservation pays for. A thinking
 * budget is part of the output and becomes smaller with it. The calls of tools that the provider runs are limited in
 * the same way.
 */

/** Limits Chat Completions and text completions. The adapters move `max_tokens` to the name that the model knows. */
export const limitChat = (body: Fields, tokens: number): Fields => ({
  ...body,
  ...limitedFields(body, tokens, ['max_tokens', 'max_completion_tokens']),
  ...limitedThinking(body, tokens),
});

export const limitMessages = (body: Fields, tokens: number): Fields => ({
  ...body,
  ...limitedFields(body, tokens, ['max_tokens']),
  ...limitedThinking(body, tokens),
});

export const limitResponses = (body: Fields, tokens: number): Fields => ({
  ...body,
  ...limitedFields(body, tokens, ['max_output_tokens']),
});

export function limitGenerate(body: Fields, tokens: number): Fields {
  const name = body['generation_config'] !== undefined ? 'generation_config' : 'generationConfig';
  const config = asFields(body[name]) ?? {};
  const limits = limitedFields(config, tokens, ['maxOutputTokens', 'max_output_tokens']);
  const thinkingName = config['thinking_config'] !== undefined ? 'thinking_config' : 'thinkingConfig';
  const thinking = asFields(config[thinkingName]);
  const budgetName = thinking?.['thinking_budget'] !== undefined ? 'thinking_budget' : 'thinkingBudget';
  const budget = thinking?.[budgetName];
  const limited =
    thinking && typeof budget === 'number' && budget > tokens
      ? { [thinkingName]: { ...thinking, [budgetName]: tokens } }
      : {};
  return { ...body, [name]: { ...config, ...limited, ...limits } };
}

/** Limits Interactions. */
export function limitInteraction(body: Fields, tokens: number): Fields {
  const config = asFields(body['generation_config']) ?? {};
  return { ...body, generation_config: { ...config, ...limitedFields(config, tokens, ['max_output_tokens']) } };
}

/** Claude refuses a thinking budget below this number, and a budget that is not below the output limit. */
const leastThinking = 1024;

function limitedThinking(body: Fields, tokens: number): Fields {
  const thinking = asFields(body['thinking']);
  const budget = thinking?.['budget_tokens'];
  if (typeof budget !== 'number' || budget < tokens) return {};
  return { thinking: { ...thinking, budget_tokens: Math.max(leastThinking, tokens - 1) } };
}

/** Limits the calls of all tools of Responses together. */
export function limitResponsesTools(body: Fields, calls: number): Fields {
  const given = body['max_tool_calls'];
  return typeof given === 'number' && given <= calls ? body : { ...body, max_tool_calls: calls };
}

/** Limits the calls of each search tool of Messages. */
export function limitMessagesTools(body: Fields, calls: number): Fields {
  return withTools(body, (tool) => {
    const { type, max_uses: given } = tool;
    if (typeof type !== 'string' || !type.startsWith('web_search_')) return tool;
    return typeof given === 'number' && given <= calls ? tool : { ...tool, max_uses: calls };
  });
}
