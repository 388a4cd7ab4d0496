import { currentModels } from '../../billing/prices/index.js';
import { providers } from '../../dialects/makers/providers.js';
import { requirePermission, type MaybeActor } from '../../shared/actor.js';

/** A provider that the console offers for new channels. */
export interface ChannelType {
  readonly id: number;
  readonly label: string;
  /** Empty: a channel of this type needs its own base URL. */
  readonly defaultBaseUrl: string;
  /** Built-in model names. */
  readonly models: readonly string[];
}

/** The lists of the providers, and of models that have a list price. */
const listed = providers.map((provider) => ({
  ...provider,
  models: [...new Set([...provider.models, ...currentModels(provider.id)])],
}));

export const channelTypes: readonly ChannelType[] = listed.filter(({ offered }) => offered);

const modelsByType = new Map(listed.map(({ id, models }) => [id, models]));

/** Returns models that the console proposes for a channel of this type; none for an unknown type. */
export const proposedModels = (channelType: number): readonly string[] => modelsByType.get(channelType) ?? [];

/** The lists of the older consoles, by channel type. Current models are not part of that contract. */
export const oldModelLists: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  providers.filter(({ offered }) => offered).map(({ id, models }) => [String(id), models]),
);

/** Returns types that the channel editor offers, for admins. */
export function listChannelTypes(actor: MaybeActor): readonly ChannelType[] {
  requirePermission(actor, 'channels.read');
  return channelTypes;
}

/** The owner of each model. A model that several providers list belongs to the provider with the highest number. */
const ownersByModel = new Map(
  listed.flatMap(({ catalogueOwner: owner, models }) =>
    owner === null ? [] : models.map((model) => [model, owner] as const),
  ),
);

/** Returns `owned_by` of a model: the provider that lists it, `midjourney` for its actions, else `custom`. */
export const ownerOf = (model: string): string =>
  ownersByModel.get(model) ?? (model.startsWith('mj_') ? 'midjourney' : 'custom');

/** Every built-in model once, ordered by provider number. */
export const catalogueModels: readonly string[] = [...ownersByModel.keys()];
