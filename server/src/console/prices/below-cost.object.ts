import { Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import { GraphQLJSON } from '../../platform/graphql/scalars.js';
import type { Quantity } from '../../shared/price-card.js';
import type { Condition } from '../../shared/price-condition.js';
import { PriceConditionObject } from './price-condition.object.js';
import type { ProposedChannel, SaleBelowCost } from './below-cost.service.js';

@InputType({ description: 'A channel as it would be saved. It is not saved.' })
export class ProposedChannelInput implements ProposedChannel {
  @Field(() => Int, { nullable: true, description: 'Null: a new channel. Else its mapping of models counts.' })
  id: number | null;

  @Field(() => String, { description: 'Shown as `SaleBelowCost.channelName`.' })
  name: string;

  @Field(() => [String], { description: 'Models that the channel would serve.' })
  models: string[];

  @Field(() => [String], { description: 'Groups whose calls it would serve.' })
  groups: string[];

  @Field(() => Float, { description: 'Times the list price, for models without a card.' })
  costFactor: number;

  @Field(() => GraphQLJSON, { nullable: true, description: 'Cost cards by model.' })
  costCards: unknown;
}

@ObjectType('SaleBelowCost', { description: 'A model that a channel serves for less than it costs the operator.' })
export class SaleBelowCostObject implements SaleBelowCost {
  @Field(() => Int, { nullable: true, description: 'Null: the proposed channel, which does not exist yet.' })
  channelId: number | null;

  @Field(() => String, { description: 'The name of the channel, or of the proposed one.' })
  channelName: string;

  @Field(() => String, { description: 'As clients request it.' })
  modelName: string;

  @Field(() => [String], { description: 'Groups that pay less than the cost.' })
  groups: readonly string[];

  @Field(() => String, { description: 'The worst one, such as `input` or `output`.' })
  quantity: Quantity;

  @Field(() => Float, { description: 'USD per million tokens or per unit, before the group ratio.' })
  price: number;

  @Field(() => Float, { description: 'What that costs the operator.' })
  cost: number;

  @Field(() => Int, { description: 'Prompt tokens above which it is so. 0: every call.' })
  above: number;

  @Field(() => PriceConditionObject, { nullable: true, description: 'Null: calls that meet no condition.' })
  when: Condition | null;
}
