import { Field, Float, Int, ObjectType } from 'type-graphql';
import { enumType } from '../../platform/graphql/enums.js';
import { GraphQLJSON } from '../../platform/graphql/scalars.js';
import type { PriceCard, Quantity } from '../../shared/price-card.js';
import type { EffectivePrice, PriceLine, PriceSource } from '../../billing/prices/index.js';
import type { PricedModel, PriceList } from './pricing.service.js';

export const PriceSourceEnum = enumType(
  'PriceSource',
  { CARD: 'card', TABLE: 'table', LIST: 'list' },
  'Where a price is from.',
  { CARD: 'A card of the operator.', TABLE: 'Ratios or prices per call.', LIST: 'The list price of the provider.' },
);

@ObjectType('PriceLine', { description: 'Price of one quantity, before the group ratio.' })
export class PriceLineObject implements PriceLine {
  @Field(() => String, { description: 'Such as `input`, `cacheWrite1h`, `output`, `webSearch`.' })
  quantity: Quantity;

  @Field(() => Float, { description: 'USD per million tokens or per unit.' })
  price: number;

  @Field(() => Boolean, {
    description: 'True: `price` is per million tokens. False: per unit, such as an image or a search.',
  })
  isPerMillion: boolean;
}

@ObjectType('EffectivePrice', { description: 'The price that is charged, as the server computes it.' })
export class EffectivePriceObject implements EffectivePrice {
  @Field(() => PriceSourceEnum, { description: 'Where the price is from.' })
  source: PriceSource;

  @Field(() => String, { nullable: true, description: 'When the prices were read: a month or a day.' })
  asOf: string | null;

  @Field(() => Boolean, { description: 'The prices were read more than 90 days ago.' })
  isOld: boolean;

  @Field(() => [PriceLineObject], { description: 'Prices of a short call in the standard tier.' })
  lines: readonly PriceLine[];

  @Field(() => GraphQLJSON, { nullable: true, description: 'The whole price card, with its tiers.' })
  card: PriceCard | null;
}

@ObjectType('PricedModel', { description: 'Price of a model before the group ratio.' })
export class PricedModelObject {
  @Field(() => String, { description: 'As callers request it.' })
  modelName: string;

  @Field(() => Float, { nullable: true, description: 'USD per call. Null: priced by tokens.' })
  modelPrice: number | null;

  @Field(() => Float, {
    nullable: true,
    description: '1 means 2 USD per million prompt tokens. Null: priced per call.',
  })
  modelRatio: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Price of a completion token in prompt tokens. Null: priced per call.',
  })
  completionRatio: number | null;

  @Field(() => [String], { description: 'Groups that can call it, sorted.' })
  groups: readonly string[];

  @Field(() => EffectivePriceObject, { nullable: true, description: 'Null: the model has no price.' })
  effective: EffectivePrice | null;

  @Field(() => GraphQLJSON, {
    nullable: true,
    description: 'The list price of the provider as a card, also where another price counts. Null: there is none.',
  })
  listCard: PriceCard | null;

  @Field(() => Int, { nullable: true, description: 'Tokens of the longest prompt. Null: not published.' })
  maxInputTokens: number | null;

  @Field(() => Int, { nullable: true, description: 'Tokens of the longest response. Null: not published.' })
  maxOutputTokens: number | null;
}

@ObjectType('PricedGroup', { description: 'A group that the caller can choose.' })
export class PricedGroupObject {
  @Field(() => String, { description: 'The name to give as `group` of an API key.' })
  name: string;

  @Field(() => String, { description: 'What the operator says about the group.' })
  description: string;

  @Field(() => Float, { nullable: true, description: 'Price ratio; null when the group has none.' })
  ratio: number | null;
}

@ObjectType('Pricing', { description: 'The price list, as the caller sees it.' })
export class PricingObject {
  @Field(() => [PricedModelObject], { description: 'By name.' })
  models: readonly PricedModelObject[];

  @Field(() => [PricedGroupObject], { description: 'Groups that the caller can choose, with their ratios.' })
  groups: readonly PricedGroupObject[];
}

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
