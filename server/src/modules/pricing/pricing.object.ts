import { Field, Float, ObjectType } from 'type-graphql';
import type { PricedModel, PriceList } from './pricing.service.js';

@ObjectType('PricedModel', { description: 'What a model costs before the factor of the group.' })
export class PricedModelObject implements PricedModel {
  @Field(() => String)
  modelName: string;

  @Field(() => Float, { nullable: true, description: 'USD per call; null when it is priced by tokens.' })
  modelPrice: number | null;

  @Field(() => Float, { description: '1 is 2 USD per million prompt tokens; 0 when it is priced per call.' })
  modelRatio: number;

  @Field(() => Float)
  completionRatio: number;

  @Field(() => [String])
  enableGroups: readonly string[];
}

@ObjectType('PricedGroup', { description: 'A group the viewer may pick.' })
export class PricedGroupObject {
  @Field(() => String)
  name: string;

  @Field(() => String)
  description: string;

  @Field(() => Float, { nullable: true, description: 'Price factor; null when the group has none.' })
  ratio: number | null;
}

@ObjectType('Pricing')
export class PricingObject {
  @Field(() => [PricedModelObject])
  models: readonly PricedModel[];

  @Field(() => [PricedGroupObject])
  groups: readonly PricedGroupObject[];
}

export const toPricingObject = ({ models, usableGroups, groupRatios }: PriceList): PricingObject => ({
  models,
  groups: Object.entries(usableGroups).map(([name, description]) => ({
    name,
    description,
    ratio: groupRatios[name] ?? null,
  })),
});
