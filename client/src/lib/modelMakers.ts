/** Makers by the beginning of the model's name. */
const makers: readonly (readonly [maker: string, pattern: RegExp])[] = [
  [
    'OpenAI',
    /^(gpt|chatgpt|o[134](-|$)|text-embedding|text-moderation|omni-moderation|dall-e|whisper|tts|davinci|babbage|codex|computer-use)/i,
  ],
  ['Anthropic', /claude/i],
  ['Google', /^(gemini|gemma|imagen|palm|aqa)/i],
  ['DeepSeek', /deepseek/i],
  ['Alibaba', /^(qwen|qwq|qvq)/i],
  ['Zhipu', /^(glm|chatglm|cogview|cogvideo)/i],
  ['Moonshot', /^(moonshot|kimi)/i],
  ['Mistral', /(mistral|mixtral|codestral|pixtral|ministral)/i],
  ['Meta', /llama/i],
  ['xAI', /^grok/i],
  ['Cohere', /^(command|rerank|embed-|c4ai)/i],
];

/** The maker of a model, by its name after the last slash; empty when unknown. */
export function makerOf(model: string): string {
  const bare = model.slice(model.lastIndexOf('/') + 1);
  return makers.find(([, pattern]) => pattern.test(bare))?.[0] ?? '';
}

/** Groups in the order above, unknown makers last under an empty name; models sorted. */
export function groupByMaker(models: readonly string[]): { maker: string; names: string[] }[] {
  const groups = new Map<string, string[]>(makers.map(([maker]) => [maker, []]));
  groups.set('', []);
  for (const model of models) {
    groups.get(makerOf(model))?.push(model);
  }
  return [...groups]
    .filter(([, names]) => names.length > 0)
    .map(([maker, names]) => ({ maker, names: names.sort((a, b) => a.localeCompare(b)) }));
}
