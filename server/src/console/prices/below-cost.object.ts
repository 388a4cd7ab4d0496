import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { enumType } from '../../platform/graphql/enums.js';
import { fields, float, inputFields, int, nullable, of, text, texts } from '../../platform/graphql/fields.js';
import { GraphQLJSON } from '../../platform/graphql/scalars.js';
import type { Quantity } from '../../shared/price-card.js';
import type { Condition } from '../../shared/price-condition.js';
import { PriceConditionObject } from './price-condition.object.js';
import type { EffectivePrice, PriceLine } from '../../billing/prices/index.js';
import type { ChannelModelCost, ModelSale, ProposedChannel, SaleBelowCost } from './below-cost.service.js';
import { EffectivePriceObject, PriceLineObject } from './pricing.object.js';

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

const ModelCostBasisEnum = enumType('ModelCostBasis', { CARD: 'card', LIST: 'list' }, 'Where a cost is from.', {
  CARD: 'A cost card of the channel.',
  LIST: 'The list price of the provider, times the factor of the channel.',
});

@ObjectType('ChannelModelCost', { description: 'What an enabled channel pays for a model.' })
export class ChannelModelCostObject
  extends fields({
    channelId: int('The channel.'),
    channelName: text('Its name now.'),
    groups: of<readonly string[]>(() => [String], 'Groups whose calls it serves, sorted.'),
    basis: nullable<'card' | 'list'>(() => ModelCostBasisEnum, 'Null: the cost is not known.'),
    factor: float.orNull('Times the list price; 1 with a card. Null: the cost is not known.'),
    lines: of<readonly PriceLine[]>(
      () => [PriceLineObject],
      'Costs of a short call in the standard tier, with the factor. Empty: the cost is not known.',
    ),
  })
  implements ChannelModelCost {}

@ObjectType('GroupRatio', { description: 'A group with its price ratio.' })
export class GroupRatioObject extends fields({
  name: text('The name of the group.'),
  ratio: float('Times the prices of models.'),
}) {}

@ObjectType('ModelSale', { description: 'What a model is sold for, and what it costs.' })
export class ModelSaleObject
  extends fields({
    effective: nullable<EffectivePrice>(
      () => EffectivePriceObject,
      'Before the group ratio. Null: the model has no price.',
    ),
    groups: of<ModelSale['groups']>(() => [GroupRatioObject], 'Groups whose calls an enabled channel serves, by name.'),
    costs: of<readonly ChannelModelCost[]>(() => [ChannelModelCostObject], 'Enabled channels with the model, by id.'),
  })
  implements ModelSale {}
