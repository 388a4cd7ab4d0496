import { efforts, type Effort, type Reasoning } from '../../neutral/request.js';

/** OpenAI models without reasoning refuse the field. */
const cannotThink = /^(?:gpt-3|gpt-4|chatgpt-|chat-latest|gpt-chat-latest|gpt-5[\d.]*-chat)/;

/** Efforts that models take: they refuse a call with any other. The first match counts. */
const taken: ReadonlyArray<readonly [models: RegExp, efforts: readonly Effort[]]> = [
  [/^gpt-oss|^o\d/, ['low', 'medium', 'high']],
  [/^gpt-5-pro/, ['high']],
  [/^gpt-5\.\d+-pro/, ['medium', 'high', 'xhigh']],
  [/^gpt-5(?:\.1)?-codex(?!-max)/, ['low', 'medium', 'high']],
  [/^gpt-5\.\d+-codex/, ['low', 'medium', 'high', 'xhigh']],
  [/^gpt-5(?:$|-)/, ['minimal', 'low', 'medium', 'high']],
  [/^gpt-5\.1(?!\d)/, ['none', 'low', 'medium', 'high']],
  [/^gpt-/, ['none', 'low', 'medium', 'high', 'xhigh']],
  [/^(?:mistral-(?:small|medium|large-4|vibe|code-agent)|devstral)/, ['none', 'high']],
  [/^grok-3-mini/, ['low', 'high']],
  [/^grok-4\.3/, ['none', 'low', 'medium', 'high']],
  [/^grok-4\.5/, ['low', 'medium', 'high']],
  [/^grok-4\.6/, ['low', 'medium', 'high', 'xhigh']],
  [/^(?:zai-glm-(?!5-2)|kimi-k3)/, ['low', 'high', 'max']],
];

const bareName = (model: string): string => model.slice(model.lastIndexOf('/') + 1);

/** Whether the model refuses any effort. */
export const refusesEffort = (model: string): boolean => cannotThink.test(bareName(model));

/**
 * A reasoning budget, or adaptive reasoning, as an effort that the model takes
 * (docs/reference/providers/anthropic.md#messages-at-other-providers). The nearest; of two, the higher one.
 */
export function effortFor(model: string, reasoning: Reasoning): Effort | undefined {
  const wanted = effortOf(reasoning);
  if (wanted === undefined) return undefined;
  const name = bareName(model);
  const some = taken.find(([models]) => models.test(name))?.[1];
  if (!some) return wanted === 'max' ? 'xhigh' : wanted;
  const distance = (effort: Effort): number => Math.abs(efforts.indexOf(effort) - efforts.indexOf(wanted));
  return some.reduce((best, each) => (distance(each) <= distance(best) ? each : best));
}

function effortOf({ effort, budget, adaptive, off }: Reasoning): Effort | undefined {
  if (effort !== undefined) return effort;
  if (off) return undefined;
  if (budget !== undefined) return budget <= 2048 ? 'low' : budget <= 8192 ? 'medium' : 'high';
  return adaptive ? 'medium' : undefined;
}
