import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { fields, float, inputFields, int, nullable, of, text, texts } from '../../platform/graphql/fields.js';
import { GraphQLJSON } from '../../platform/graphql/scalars.js';
import type { Quantity } from '../../shared/price-card.js';
import type { Condition } from '../../shared/price-condition.js';
import { PriceConditionObject } from './price-condition.object.js';
import type { ProposedChannel, SaleBelowCost } from './below-cost.service.js';

@InputType({ description: 'A channel as it would be saved. It is not saved.' })
export class ProposedChannelInput
  extends inputFields({
    name: text('Shown as `SaleBelowCost.channelName`.'),
    models: texts('Models that the channel would serve.'),
    groups: texts('Groups whose calls it would serve.'),
    costFactor: float('Times the list price, for models without a card.'),
  })
  implements ProposedChannel
{
  @Field(() => Int, { nullable: true, description: 'Null: a new channel. Else its mapping of models counts.' })
  id: number | null;

  @Field(() => GraphQLJSON, { nullable: true, description: 'Cost cards by model.' })
  costCards: unknown;
}

@ObjectType('SaleBelowCost', { description: 'A model that a channel serves for less than it costs the operator.' })
export class SaleBelowCostObject
  extends fields({
    channelId: int.orNull('Null: the proposed channel, which does not exist yet.'),
    channelName: text('The name of the channel, or of the proposed one.'),
    modelName: text('As clients request it.'),
    groups: of<readonly string[]>(() => [String], 'Groups that pay less than the cost.'),
    quantity: of<Quantity>(() => String, 'The worst one, such as `input` or `output`.'),
    price: float('USD per million tokens or per unit, before the group ratio.'),
    cost: float('What that costs the operator.'),
    groupRatio: float('The lowest ratio of `groups`: what the group pays is `price` times it.'),
    savedGroupRatio: float.orNull('The saved ratio of the same group. Null: no settings were proposed.'),
    savedPrice: float.orNull(
      'What the saved settings charge for the same. Null: they have no price, or no settings were proposed.',
    ),
    above: int('Prompt tokens above which it is so. 0: every call.'),
    when: nullable<Condition>(() => PriceConditionObject, 'Null: calls that meet no condition.'),
  })
  implements SaleBelowCost {}
