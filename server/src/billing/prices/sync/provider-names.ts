import type { Rank } from './card-collector.js';

/** Makers of models, the beginnings of the names of their models, and their names in public tables. */
const makers: ReadonlyArray<{ readonly models: RegExp; readonly names: readonly string[] }> = [
  {
    models: /^(?:gpt|o\d|chatgpt|dall-e|whisper|tts|text-|omni|codex|sora|babbage|davinci|computer-use)/,
    names: ['openai', 'text-completion-openai'],
  },
  { models: /^claude/, names: ['anthropic'] },
  { models: /^(?:gemini|gemma|imagen|veo|lyria|learnlm|text-embedding|embedding)/, names: ['gemini', 'google'] },
  { models: /^deepseek/, names: ['deepseek'] },
  { models: /^grok/, names: ['xai', 'x-ai'] },
  {
    models: /^(?:mistral|ministral|magistral|codestral|devstral|pixtral|voxtral|open-mi|labs-)/,
    names: ['mistral', 'mistralai', 'codestral'],
  },
  { models: /^(?:command|embed|rerank|c4ai|aya|north)/, names: ['cohere', 'cohere_chat'] },
  { models: /^(?:qwen|qwq|qvq|wan|z-image|text-embedding)/, names: ['dashscope', 'alibaba', 'qwen'] },
  { models: /^(?:kimi|moonshot)/, names: ['moonshot', 'moonshotai'] },
  { models: /^(?:glm|cogview|cogvideo)/, names: ['zai', 'z-ai', 'zhipuai'] },
  { models: /^(?:minimax|abab|speech|hailuo|m\d)/i, names: ['minimax'] },
  { models: /^(?:doubao|seed)/, names: ['volcengine', 'bytedance', 'bytedance-seed'] },
  { models: /^(?:sonar|pplx|r1-)/, names: ['perplexity'] },
];

/** Whether a table lists a maker of models under this name. */
export const isMaker = (provider: string): boolean => makers.some(({ names }) => names.includes(provider));

/** Whether the model is one of the maker's. Providers also sell models of others, at other prices. */
export const isMadeBy = (provider: string, model: string): boolean =>
  makers.some(({ names, models }) => names.includes(provider) && models.test(model));

/** Returns the rank of a price that a table has under `provider/model`. */
export const rankOf = (provider: string, model: string): Rank => (isMadeBy(provider, model) ? 1 : 3);

/** Returns the part of a name after its first slash; null without one. */
export function afterSlash(name: string): string | null {
  const at = name.indexOf('/');
  return at < 0 ? null : name.slice(at + 1);
}
