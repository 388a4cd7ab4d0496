import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { Access, Cost, TakesSettings } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { ModelSaleObject, ProposedChannelInput, SaleBelowCostObject } from './below-cost.object.js';
import type { BelowCostService, ModelSale, SaleBelowCost } from './below-cost.service.js';
import { ProposedSettingInput } from './price-proposal.object.js';

@Resolver(() => SaleBelowCostObject)
export class BelowCostResolver {
  constructor(private readonly belowCost: BelowCostService) {}

  @Access(['prices', 'channels.write'])
  @Cost(20)
  @TakesSettings()
  @Query(() => [SaleBelowCostObject], {
    description: 'Models of enabled channels that are sold below cost, or would be. At most 2,000.',
  })
  salesBelowCost(
    @Ctx() { actor }: GraphQLContext,
    @Arg('settings', () => [ProposedSettingInput], {
      nullable: true,
      description: 'Price settings to compare with in place of the saved ones. Absent: the saved ones.',
    })
    settings?: ProposedSettingInput[] | null,
    @Arg('channel', () => ProposedChannelInput, {
      nullable: true,
      description: 'Compares the models of this channel only.',
    })
    channel?: ProposedChannelInput | null,
    @Arg('causedOnly', () => Boolean, {
      defaultValue: false,
      description:
        'Only losses that `settings` cause or enlarge. Tokens and units are then compared for themselves: a model may have a line of each.',
    })
    causedOnly = false,
  ): Promise<SaleBelowCost[]> {
    return this.belowCost.list(
      actor,
      settings ?? [],
      channel ? { ...channel, id: channel.id ?? null } : null,
      causedOnly,
    );
  }

  @Access(['prices', 'channels.write'])
  @Cost(5)
  @Query(() => ModelSaleObject, {
    description: 'What a model is sold for by group, and what it costs at each enabled channel that serves it.',
  })
  modelSale(
    @Ctx() { actor }: GraphQLContext,
    @Arg('modelName', () => String, { description: 'As clients request it.' }) modelName: string,
  ): Promise<ModelSale> {
    return this.belowCost.sale(actor, modelName);
  }
}
