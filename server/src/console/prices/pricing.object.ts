import { ObjectType } from 'type-graphql';
import { fields, flag, float, int, nullable, of, text } from '../../platform/graphql/fields.js';
import { enumType } from '../../platform/graphql/enums.js';
import { GraphQLJSON } from '../../platform/graphql/scalars.js';
import type { PriceCard, Quantity } from '../../shared/price-card.js';
import { modelKind, type ModelKind } from '../../shared/model-kind.js';
import type { EffectivePrice, PriceLine, PriceSource } from '../../billing/prices/index.js';
import type { PricedModel, PriceList } from './pricing.service.js';

export const PriceSourceEnum = enumType(
  'PriceSource',
  { CARD: 'card', TABLE: 'table', LIST: 'list' },
  'Where a price is from.',
  { CARD: 'A card of the operator.', TABLE: 'Ratios or prices per call.', LIST: 'The list price of the provider.' },
);

export const ModelKindEnum = enumType(
  'ModelKind',
  {
    CHAT: 'chat',
    COMPLETION: 'completion',
    EMBEDDING: 'embedding',
    RERANK: 'rerank',
    MODERATION: 'moderation',
    IMAGE: 'image',
    SPEECH: 'speech',
    TRANSCRIPTION: 'transcription',
    VIDEO: 'video',
    MUSIC: 'music',
    REALTIME: 'realtime',
  },
  'The kind of calls that a model serves, as far as its name shows.',
  {
    CHAT: 'Chat completions. Also a name that shows no kind.',
    COMPLETION: 'Legacy completions.',
    EMBEDDING: 'Embeddings.',
    RERANK: 'Documents ordered by relevance.',
    MODERATION: 'Moderation.',
    IMAGE: 'Images.',
    SPEECH: 'Speech of a text.',
    TRANSCRIPTION: 'Text of a recording.',
    VIDEO: 'Videos.',
    MUSIC: 'Music.',
    REALTIME: 'Sessions over a WebSocket.',
  },
);

@ObjectType('PriceLine', { description: 'Price of one quantity, before the group ratio.' })
export class PriceLineObject
  extends fields({
    quantity: of<Quantity>(() => String, 'Such as `input`, `cacheWrite1h`, `output`, `webSearch`.'),
    price: float('USD per million tokens or per unit.'),
    isPerMillion: flag('True: `price` is per million tokens. False: per unit, such as an image or a search.'),
  })
  implements PriceLine {}

@ObjectType('EffectivePrice', { description: 'The price that is charged, as the server computes it.' })
export class EffectivePriceObject
  extends fields({
    source: of<PriceSource>(() => PriceSourceEnum, 'Where the price is from.'),
    asOf: text.orNull('When the prices were read: a month or a day.'),
    isOld: flag('The prices were read more than 90 days ago.'),
    lines: of<readonly PriceLine[]>(() => [PriceLineObject], 'Prices of a short call in the standard tier.'),
    card: nullable<PriceCard>(() => GraphQLJSON, 'The whole price card, with its tiers.'),
  })
  implements EffectivePrice {}

@ObjectType('PricedModel', { description: 'Price of a model before the group ratio.' })
export class PricedModelObject extends fields({
  modelName: text('As callers request it.'),
  kind: of<ModelKind>(() => ModelKindEnum, 'The kind of calls that it serves.'),
  modelPrice: float.orNull('USD per call. Null: priced by tokens.'),
  modelRatio: float.orNull('1 means 2 USD per million prompt tokens. Null: priced per call.'),
  completionRatio: float.orNull('Price of a completion token in prompt tokens. Null: priced per call.'),
  groups: of<readonly string[]>(() => [String], 'Groups that can call it, sorted.'),
  effective: nullable<EffectivePrice>(() => EffectivePriceObject, 'Null: the model has no price.'),
  listCard: nullable<PriceCard>(
    () => GraphQLJSON,
    'The list price of the provider as a card, also where another price counts. Null: there is none.',
  ),
  maxInputTokens: int.orNull('Tokens of the longest prompt. Null: not published.'),
  maxOutputTokens: int.orNull('Tokens of the longest response. Null: not published.'),
}) {}

@ObjectType('PricedGroup', { description: 'A group that the caller can choose.' })
export class PricedGroupObject extends fields({
  name: text('The name to give as `group` of an API key.'),
  description: text('What the operator says about the group.'),
  ratio: float.orNull('Price ratio; null when the group has none.'),
}) {}

@ObjectType('Pricing', { description: 'The price list, as the caller sees it.' })
export class PricingObject extends fields({
  models: of<readonly PricedModelObject[]>(() => [PricedModelObject], 'By name.'),
  groups: of<readonly PricedGroupObject[]>(
    () => [PricedGroupObject],
    'Groups that the caller can choose, with their ratios.',
  ),
}) {}

export const toPricingObject = ({ models, usableGroups, groupRatios }: PriceList): PricingObject => ({
  models: models.map(toPricedModel),
  groups: Object.entries(usableGroups).map(([name, description]) => ({
    name,
    description,
    ratio: groupRatios[name] ?? null,
  })),
});

function toPricedModel({
  modelName,
  modelPrice,
  modelRatio,
  completionRatio,
  enableGroups,
  effective,
  listCard,
  limits,
}: PricedModel): PricedModelObject {
  const isPerCall = modelPrice !== null;
  return {
    modelName,
    kind: modelKind(modelName),
    modelPrice,
    modelRatio: isPerCall ? null : modelRatio,
    completionRatio: isPerCall ? null : completionRatio,
    groups: enableGroups,
    effective,
    listCard,
    maxInputTokens: limits.maxInput || null,
    maxOutputTokens: limits.maxOutput || null,
  };
}
