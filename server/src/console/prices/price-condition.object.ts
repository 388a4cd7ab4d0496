import { Field, ObjectType } from 'type-graphql';
import type { Condition } from '../../shared/price-condition.js';

/** All fields of a condition, as GraphQL has them. */
type Stated = { readonly [Name in keyof Condition]-?: Condition[Name] | null };

@ObjectType('PriceCondition', {
  description: 'The condition of a price. The fields that are not null have to apply to the call.',
})
export class PriceConditionObject implements Partial<Stated> {
  @Field(() => String, { nullable: true, description: 'The service tier, such as `flex`.' })
  tier?: Condition['tier'];

  @Field(() => String, { nullable: true, description: 'Where the provider ran the model: `us`.' })
  region?: Condition['region'];

  @Field(() => String, { nullable: true, description: 'How much the provider searched: `medium` or `high`.' })
  searchSize?: Condition['searchSize'];

  @Field(() => String, { nullable: true, description: 'The time of the call: `off_peak`.' })
  hours?: Condition['hours'];

  @Field(() => String, { nullable: true, description: 'The resolution of a video, such as `720p`.' })
  resolution?: Condition['resolution'];
}
