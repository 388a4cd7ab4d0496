import { Field, Float, ObjectType } from 'type-graphql';
import type { PricedModel, PriceList } from './pricing.service.js';

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
}

@ObjectType('PricedGroup', { description: 'A group that the caller can choose.' })
export class PricedGroupObject {
  @Field(() => String)
  name: string;

  @Field(() => String)
  description: string;

  @Field(() => Float, { nullable: true, description: 'Price ratio; null when the group has none.' })
  ratio: number | null;
}

@ObjectType('Pricing', { description: 'The price list, as the caller sees it.' })
export class PricingObject {
  @Field(() => [PricedModelObject], { description: 'By name.' })
  models: readonly PricedModelObject[];

  @Field(() => [PricedGroupObject])
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
}: PricedModel): PricedModelObject {
  const isPerCall = modelPrice !== null;
  return {
    modelName,
    modelPrice,
    modelRatio: isPerCall ? null : modelRatio,
    completionRatio: isPerCall ? null : completionRatio,
    groups: enableGroups,
  };
}
