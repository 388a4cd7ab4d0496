import type { RequestParams } from './conversation.js';

/** Request parameters as typed and stored. */
export interface Parameters {
  readonly group: string;
  readonly model: string;
  readonly temperature: number;
  /** Text of an integer; empty for the model's limit. */
  readonly maxTokens: string;
  readonly systemPrompt: string;
  readonly topP: number;
  readonly frequencyPenalty: number;
  readonly presencePenalty: number;
  /** Whether a stream that breaks is requested again. */
  readonly autoReconnect: boolean;
}

export interface PricedName {
  readonly modelName: string;
  readonly groups: readonly string[];
}

const usualModel = 'gpt-4o-mini';

/** Restores stored parameters; invalid values get their defaults. */
export function toParameters(kept: Readonly<Record<string, unknown>>, systemPrompt: string): Parameters {
  const text = (key: string, fallback: string) => (typeof kept[key] === 'string' ? kept[key] : fallback);
  const number = (key: string, fallback: number) => (Number.isFinite(kept[key]) ? Number(kept[key]) : fallback);
  return {
    group: text('group', ''),
    model: text('model', usualModel),
    temperature: number('temperature', 0),
    maxTokens: text('maxTokens', '2048'),
    systemPrompt: text('systemPrompt', systemPrompt),
    topP: number('topP', 1),
    frequencyPenalty: number('frequencyPenalty', 0),
    presencePenalty: number('presencePenalty', 0),
    autoReconnect: kept['autoReconnect'] === true,
  };
}

/** Replaces a group or model that no longer exists. */
export function availableParameters(
  parameters: Parameters,
  offer: { readonly groups: readonly string[]; readonly ownGroup: string; readonly models: readonly PricedName[] },
): Parameters {
  const group = [parameters.group, offer.ownGroup].find((name) => offer.groups.includes(name)) ?? offer.groups[0] ?? '';
  const models = modelsOf(offer.models, group);
  const model = [parameters.model, usualModel].find((name) => models.includes(name)) ?? models[0] ?? '';
  return group === parameters.group && model === parameters.model ? parameters : { ...parameters, group, model };
}

export const modelsOf = (models: readonly PricedName[], group: string): string[] =>
  models.filter(({ groups }) => groups.includes(group)).map(({ modelName }) => modelName);

export const isMaxTokens = (text: string): boolean => /^([1-9]\d{0,7})?$/.test(text.trim());

/** Request parameters to send. Defaults are left out, because some models reject the fields. */
export const toRequestParams = (parameters: Parameters): RequestParams => ({
  model: parameters.model,
  group: parameters.group,
  temperature: parameters.temperature,
  systemPrompt: parameters.systemPrompt,
  ...(parameters.maxTokens.trim() === '' ? {} : { max_tokens: Number.parseInt(parameters.maxTokens, 10) }),
  ...(parameters.topP === 1 ? {} : { top_p: parameters.topP }),
  ...(parameters.frequencyPenalty === 0 ? {} : { frequency_penalty: parameters.frequencyPenalty }),
  ...(parameters.presencePenalty === 0 ? {} : { presence_penalty: parameters.presencePenalty }),
});
