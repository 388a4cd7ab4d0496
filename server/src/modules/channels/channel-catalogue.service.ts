import { requireRole, type MaybeActor } from '../../shared/actor.js';
import { providers, type Provider } from './provider-catalogue.js';

/** A provider as the console offers it. */
export interface ChannelType {
  readonly id: number;
  readonly label: string;
  /** Empty: a channel of this type must name its own. */
  readonly defaultBaseUrl: string;
  /** Built-in model names. */
  readonly models: readonly string[];
}

const words = (text: string): readonly string[] => [...new Set(text.split(/\s+/).filter(Boolean))];

const toType = ({ id, label, defaultBaseUrl, models }: Provider): ChannelType => ({
  id,
  label,
  defaultBaseUrl,
  models: words(models),
});

export const channelTypes: readonly ChannelType[] = providers.map(toType);

const typesById = new Map(channelTypes.map((type) => [type.id, type]));

export const findChannelType = (id: number): ChannelType | null => typesById.get(id) ?? null;

/** What the channel editor offers; for admins. */
export function listChannelTypes(actor: MaybeActor): readonly ChannelType[] {
  requireRole(actor, 'admin');
  return channelTypes;
}

/** Without a trailing slash; empty when the type has none. */
export const defaultBaseUrl = (type: number): string => findChannelType(type)?.defaultBaseUrl ?? '';

/** Owners by provider, in the order the catalogue lists them; where two name a model, the later one owns it. */
const owners: ReadonlyArray<readonly [owner: string, models: readonly string[]]> = [
  ...ownedBy(['openai', 1], ['claude', 14], ['google palm', 11], ['baidu', 15], ['zhipu', 16], ['ali', 17]),
  ...ownedBy(['xunfei', 18], ['tencent', 23], ['google gemini', 24], ['zhipu_4v', 26], ['ollama', 4]),
  [
    'perplexity',
    words(`llama-3-sonar-small-32k-chat llama-3-sonar-small-32k-online llama-3-sonar-large-32k-chat
      llama-3-sonar-large-32k-online llama-3-8b-instruct llama-3-70b-instruct mixtral-8x7b-instruct`),
  ],
  ...ownedBy(['aws', 33], ['cohere', 34], ['jina', 38], ['cloudflare', 39], ['siliconflow', 40], ['vertex-ai', 41]),
  ...ownedBy(['mistral', 42], ['deepseek', 43], ['mokaai', 44], ['volcengine', 45], ['volcengine', 46], ['xai', 48]),
  ...ownedBy(['ai360', 19], ['moonshot', 25], ['lingyiwanwu', 31], ['minimax', 35], ['midjourney', 5]),
];

const ownersByModel = new Map(owners.flatMap(([owner, models]) => models.map((model) => [model, owner] as const)));

/** `owned_by` of a model: the provider it is known from, else `custom`. */
export const ownerOf = (model: string): string => ownersByModel.get(model) ?? 'custom';

/** Every built-in model once, in the order of the catalogue. */
export const catalogueModels: readonly string[] = [...ownersByModel.keys()];

function ownedBy(
  ...pairs: ReadonlyArray<readonly [owner: string, type: number]>
): Array<readonly [string, readonly string[]]> {
  return pairs.map(([owner, type]) => [owner, findChannelType(type)?.models ?? []] as const);
}
