import type { OtherKind } from './calls.js';
import type { ChatParams, OtherParams, RequestParams } from './conversation.js';
import type { ModelKind } from './playground.generated.js';

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
  /** The second model; empty when nothing is compared. */
  readonly compareModel: string;
  /** Fields of models that do not chat, by kind. */
  readonly others: OtherFields;
}

/** Empty texts are not sent: the model then decides. */
export interface OtherFields {
  readonly imageSize: string;
  readonly imageQuality: string;
  readonly imageCount: string;
  readonly voice: string;
  readonly speechFormat: string;
  readonly speed: string;
  readonly language: string;
  readonly seconds: string;
  readonly videoSize: string;
  readonly dimensions: string;
  /** Each line is one document. */
  readonly documents: string;
}

const usualFields: OtherFields = {
  imageSize: '1024x1024',
  imageQuality: '',
  imageCount: '1',
  voice: 'alloy',
  speechFormat: 'mp3',
  speed: '1',
  language: '',
  seconds: '4',
  videoSize: '1280x720',
  dimensions: '',
  documents: '',
};

export interface PricedName {
  readonly modelName: string;
  readonly kind: ModelKind;
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
    compareModel: text('compareModel', ''),
    others: toOtherFields(kept['others']),
  };
}

function toOtherFields(kept: unknown): OtherFields {
  const given = typeof kept === 'object' && kept !== null ? (kept as Readonly<Record<string, unknown>>) : {};
  const entries = Object.entries(usualFields).map(([name, usual]: [string, string]): [string, string] => {
    const value = given[name];
    return [name, typeof value === 'string' ? value : usual];
  });
  return Object.fromEntries(entries) as unknown as OtherFields;
}

/** Replaces a group or model that no longer exists. */
export function availableParameters(
  parameters: Parameters,
  offer: { readonly groups: readonly string[]; readonly ownGroup: string; readonly models: readonly PricedName[] },
): Parameters {
  const group = [parameters.group, offer.ownGroup].find((name) => offer.groups.includes(name)) ?? offer.groups[0] ?? '';
  const models = modelsOf(offer.models, group);
  const model = [parameters.model, usualModel].find((name) => models.includes(name)) ?? models[0] ?? '';
  const compareModel = comparable(offer.models, group, model).includes(parameters.compareModel)
    ? parameters.compareModel
    : '';
  const isSame = group === parameters.group && model === parameters.model && compareModel === parameters.compareModel;
  return isSame ? parameters : { ...parameters, group, model, compareModel };
}

export const modelsOf = (models: readonly PricedName[], group: string): string[] =>
  models.filter(({ groups }) => groups.includes(group)).map(({ modelName }) => modelName);

export const kindOf = (models: readonly PricedName[], model: string): ModelKind =>
  models.find(({ modelName }) => modelName === model)?.kind ?? 'CHAT';

/** Models that take the same input as a model, which is not among them. */
export const comparable = (models: readonly PricedName[], group: string, model: string): string[] =>
  modelsOf(
    models.filter(({ modelName, kind }) => modelName !== model && kind === kindOf(models, model)),
    group,
  );

export const isMaxTokens = (text: string): boolean => /^([1-9]\d{0,7})?$/.test(text.trim());

/** The documents of a reranking. */
export const documentsOf = ({ documents }: OtherFields): string[] =>
  documents
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Request parameters of a model by its kind. */
export function toRequestParams(parameters: Parameters, kind: ModelKind): RequestParams {
  if (kind === 'CHAT' || kind === 'MUSIC' || kind === 'REALTIME') return toChatParams(parameters);
  const { model, group } = parameters;
  return { kind, model, group, fields: fieldsOf(kind, parameters) } satisfies OtherParams;
}

function fieldsOf(kind: OtherKind, { others, maxTokens }: Parameters): Record<string, unknown> {
  const { imageSize, imageQuality, imageCount, voice, speechFormat, speed, language, seconds, videoSize } = others;
  const number = (name: string, text: string): Record<string, number> => {
    const value = Number(text);
    return text.trim() === '' || !Number.isFinite(value) ? {} : { [name]: value };
  };
  const text = (name: string, value: string): Record<string, string> =>
    value.trim() === '' ? {} : { [name]: value.trim() };
  switch (kind) {
    case 'COMPLETION':
      return number('max_tokens', maxTokens);
    case 'EMBEDDING':
      return number('dimensions', others.dimensions);
    case 'MODERATION':
      return {};
    case 'RERANK':
      return { documents: documentsOf(others) };
    case 'IMAGE':
      return { ...text('size', imageSize), ...text('quality', imageQuality), ...number('n', imageCount) };
    case 'SPEECH':
      return {
        voice: voice.trim(),
        ...text('response_format', speechFormat),
        ...(Number(speed) === 1 ? {} : number('speed', speed)),
      };
    case 'TRANSCRIPTION':
      return text('language', language);
    case 'VIDEO':
      return { ...text('seconds', seconds), ...text('size', videoSize) };
  }
}

/** Parameters of a chat request. Defaults are left out, because some models reject the fields. */
const toChatParams = (parameters: Parameters): ChatParams => ({
  model: parameters.model,
  group: parameters.group,
  temperature: parameters.temperature,
  systemPrompt: parameters.systemPrompt,
  ...(parameters.maxTokens.trim() === '' ? {} : { max_tokens: Number.parseInt(parameters.maxTokens, 10) }),
  ...(parameters.topP === 1 ? {} : { top_p: parameters.topP }),
  ...(parameters.frequencyPenalty === 0 ? {} : { frequency_penalty: parameters.frequencyPenalty }),
  ...(parameters.presencePenalty === 0 ? {} : { presence_penalty: parameters.presencePenalty }),
});
